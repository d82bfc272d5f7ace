"""Vectors as values of compiled code: 16 words of 64 bits (1024 rounds), and 8 doubles. LLVM keeps them in vector registers.

Loops over short arrays are vectorised only sometimes; a vector type always is, on any processor, and compiles faster.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

W = 16  # words in a value: two AVX-512 registers
VECTOR = ir.VectorType(ir.IntType(64), W)


class WordsType(types.Type):
    """The Numba type of W words."""

    def __init__(self) -> None:
        super().__init__(name="Words")


words = WordsType()


@register_model(WordsType)
class WordsModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: WordsType) -> None:
        super().__init__(manager, kind, VECTOR)


def _define_operators() -> None:
    emitters = {operator.and_: "and_", operator.or_: "or_", operator.xor: "xor", operator.add: "add"}
    for symbol, method in emitters.items():
        kind = type(f"Words_{method}", (ConcreteTemplate,), {"key": symbol, "cases": [signature(words, words, words)]})
        infer_global(symbol)(kind)

        def emit(context: Any, builder: Any, sig: Any, args: Any, method: str = method) -> Any:
            return getattr(builder, method)(*args)

        lower_builtin(symbol, WordsType, WordsType)(emit)
    infer_global(operator.invert)(type("Words_invert", (ConcreteTemplate,), {"key": operator.invert, "cases": [signature(words, words)]}))
    lower_builtin(operator.invert, WordsType)(lambda context, builder, sig, args: builder.not_(args[0]))


_define_operators()


def _place(context: Any, builder: Any, array_type: Any, array: Any, at: Any, vector: Any = VECTOR) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), vector.as_pointer())


def _constant(word: int) -> Any:
    return ir.Constant(VECTOR, [word] * W)


def _splat(builder: Any, word: Any) -> Any:
    first = builder.insert_element(_constant(0), word, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, _constant(0), ir.Constant(ir.VectorType(ir.IntType(32), W), [0] * W))


@intrinsic
def load(typing_context, array, at):
    """The words array[at : at + W]."""

    def emit(context, builder, sig, args):
        return builder.load(_place(context, builder, sig.args[0], args[0], args[1]), align=8)

    return words(array, types.int64), emit


@intrinsic
def store(typing_context, array, at, value):
    """array[at : at + W] = value"""

    def emit(context, builder, sig, args):
        builder.store(args[2], _place(context, builder, sig.args[0], args[0], args[1]), align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, words), emit


@intrinsic
def every(typing_context, bit):
    """All rounds or none."""

    def emit(context, builder, sig, args):
        return builder.select(args[0], _constant(2**64 - 1), _constant(0))

    return words(types.boolean), emit


@intrinsic
def shift_left(typing_context, value, by):
    """Each word shifted."""

    def emit(context, builder, sig, args):
        return builder.shl(args[0], _splat(builder, args[1]))

    return words(words, types.int64), emit


@intrinsic
def rotate_left(typing_context, value, by):
    """Each word rotated by 1 to 63 bits."""

    def emit(context, builder, sig, args):
        left = _splat(builder, args[1])
        return builder.or_(builder.shl(args[0], left), builder.lshr(args[0], builder.sub(_constant(64), left)))

    return words(words, types.int64), emit


@intrinsic
def counts(typing_context, value):
    """The number of rounds in each word."""

    def emit(context, builder, sig, args):
        ones = builder.module.declare_intrinsic(f"llvm.ctpop.v{W}i64", fnty=ir.FunctionType(VECTOR, [VECTOR]))
        return builder.call(ones, [args[0]])

    return words(words), emit


@intrinsic
def total(typing_context, value):
    """The sum of the words."""

    def emit(context, builder, sig, args):
        add = builder.module.declare_intrinsic(f"llvm.vector.reduce.add.v{W}i64", fnty=ir.FunctionType(ir.IntType(64), [VECTOR]))
        return builder.call(add, [args[0]])

    return types.int64(words), emit


@intrinsic
def some(typing_context, value):
    """Whether the value has any round."""

    def emit(context, builder, sig, args):
        bits = builder.bitcast(builder.icmp_unsigned("!=", args[0], _constant(0)), ir.IntType(W))
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(W), 0))

    return types.boolean(words), emit


D = 8  # doubles in a value
DOUBLES = ir.VectorType(ir.DoubleType(), D)


class DoublesType(types.Type):
    """The Numba type of D doubles."""

    def __init__(self) -> None:
        super().__init__(name="Doubles")


doubles = DoublesType()


@register_model(DoublesType)
class DoublesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: DoublesType) -> None:
        super().__init__(manager, kind, DOUBLES)


@intrinsic
def load_doubles(typing_context, array, at):
    """The doubles array[at : at + D]."""

    def emit(context, builder, sig, args):
        return builder.load(_place(context, builder, sig.args[0], args[0], args[1], DOUBLES), align=8)

    return doubles(array, types.int64), emit


@intrinsic
def greater(typing_context, one, other):
    """The greater of two, place by place; none may be NaN."""

    def emit(context, builder, sig, args):
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[0], args[1])

    return doubles(doubles, doubles), emit


@intrinsic
def greatest(typing_context, value):
    """The greatest of the doubles; none may be NaN."""

    def emit(context, builder, sig, args):
        kind = ir.FunctionType(ir.DoubleType(), [DOUBLES])
        reduce = builder.module.declare_intrinsic(f"llvm.vector.reduce.fmax.v{D}f64", fnty=kind)
        return builder.call(reduce, [args[0]], fastmath=("nnan",))

    return types.float64(doubles), emit


@intrinsic
def at_least(typing_context, value, bar):
    """Bit i is 1 where double i is at least the bar."""

    def emit(context, builder, sig, args):
        zero = ir.Constant(DOUBLES, [0.0] * D)
        first = builder.insert_element(zero, args[1], ir.Constant(ir.IntType(32), 0))
        bars = builder.shuffle_vector(first, zero, ir.Constant(ir.VectorType(ir.IntType(32), D), [0] * D))
        bits = builder.bitcast(builder.fcmp_ordered(">=", args[0], bars), ir.IntType(D))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(doubles, types.float64), emit


@intrinsic
def ones(typing_context, bits):
    """The number of bits that are 1."""

    def emit(context, builder, sig, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), emit


@intrinsic
def item(typing_context, array, at):
    """array[at], of a position that is known not to be negative: Numba's own costs three instructions more."""

    def emit(context, builder, sig, args):
        return builder.load(builder.gep(context.make_array(sig.args[0])(context, builder, args[0]).data, [args[1]]))

    return array.dtype(array, types.int64), emit


@intrinsic
def holds(typing_context, values, places, wanted, at):
    """Bit i is 1 where values[places[at + i]] == wanted[at + i], for the D places from `at` on."""

    def emit(context, builder, sig, args):
        vector = ir.VectorType(ir.IntType(64), D)
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        there = builder.load(_place(context, builder, sig.args[1], args[1], args[3], vector), align=8)
        found = ir.Constant(vector, ir.Undefined)
        for i in range(D):
            index = ir.Constant(ir.IntType(32), i)
            found = builder.insert_element(found, builder.load(builder.gep(data, [builder.extract_element(there, index)])), index)
        sought = builder.load(_place(context, builder, sig.args[2], args[2], args[3], vector), align=8)
        bits = builder.bitcast(builder.icmp_signed("==", found, sought), ir.IntType(D))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(values, places, wanted, types.int64), emit


@intrinsic
def put_where(typing_context, array, at, bits, amount, adds):
    """array[at + i] becomes the amount where bit i is 1, else 0; or that is added to it."""

    def emit(context, builder, sig, args):
        element = context.get_value_type(sig.args[0].dtype)
        vector, index = ir.VectorType(element, D), ir.VectorType(ir.IntType(32), D)
        zero = ir.Constant(vector, [0] * D)
        place = _place(context, builder, sig.args[0], args[0], args[1], vector)
        first = builder.insert_element(zero, args[3], ir.Constant(ir.IntType(32), 0))
        amounts = builder.shuffle_vector(first, zero, ir.Constant(index, [0] * D))
        mask = builder.bitcast(builder.trunc(args[2], ir.IntType(D)), ir.VectorType(ir.IntType(1), D))
        chosen = builder.select(mask, amounts, zero)
        add = builder.add if isinstance(element, ir.IntType) else builder.fadd
        before = builder.select(args[4], builder.load(place, align=8), zero)
        builder.store(add(before, chosen), place, align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, array.dtype, types.boolean), emit
