"""Vectors as values of compiled code: 16 words of 64 bits (1024 rounds), and 8 doubles.

LLVM keeps them in vector registers. It vectorises loops over short arrays only sometimes. It always vectorises a vector
type, on any processor, and compiles it faster. This file uses only what Numba documents for extensions.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

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


def _define_operator(symbol: Any, method: str) -> None:
    """Let compiled code combine words with an operator, by one instruction: the builder's method of that name."""

    @type_callable(symbol)
    def infer(typing_context):
        return lambda one, other: words if one == words and other == words else None

    @lower_builtin(symbol, WordsType, WordsType)
    def emit(context, builder, sig, args):
        return getattr(builder, method)(*args)


_define_operator(operator.and_, "and_")
_define_operator(operator.or_, "or_")
_define_operator(operator.xor, "xor")
_define_operator(operator.add, "add")


@type_callable(operator.invert)
def _infer_invert(typing_context):
    return lambda value: words if value == words else None


@lower_builtin(operator.invert, WordsType)
def _invert(context, builder, sig, args):
    return builder.not_(args[0])


def _array(context: Any, builder: Any, array_type: Any, array: Any) -> Any:
    """The parts of an array, such as its data and its number of items."""
    return cgutils.create_struct_proxy(array_type)(context, builder, value=array)


def _place(context: Any, builder: Any, array_type: Any, array: Any, at: Any, vector: Any = VECTOR) -> Any:
    data = _array(context, builder, array_type, array).data
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
        add = builder.module.declare_intrinsic(
            f"llvm.vector.reduce.add.v{W}i64", fnty=ir.FunctionType(ir.IntType(64), [VECTOR])
        )
        return builder.call(add, [args[0]])

    return types.int64(words), emit


@intrinsic
def some(typing_context, value):
    """Whether the value has any round."""

    def emit(context, builder, sig, args):
        bits = builder.bitcast(builder.icmp_unsigned("!=", args[0], _constant(0)), ir.IntType(W))
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(W), 0))

    return types.boolean(words), emit


D = 8  # doubles, or whole numbers, in a value
DOUBLES = ir.VectorType(ir.DoubleType(), D)
INTEGERS = ir.VectorType(ir.IntType(64), D)


class DoublesType(types.Type):
    """The Numba type of D doubles."""

    def __init__(self) -> None:
        super().__init__(name="Doubles")


class IntegersType(types.Type):
    """The Numba type of D whole numbers."""

    def __init__(self) -> None:
        super().__init__(name="Integers")


doubles, integers = DoublesType(), IntegersType()


@register_model(DoublesType)
class DoublesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: DoublesType) -> None:
        super().__init__(manager, kind, DOUBLES)


@register_model(IntegersType)
class IntegersModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: IntegersType) -> None:
        super().__init__(manager, kind, INTEGERS)


def _all(builder: Any, vector: Any, value: Any) -> Any:
    """A vector with the value in every place."""
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(
        first, first, ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    )


def _has_vectors(array: Any) -> bool:
    """Whether an array can be read as vectors: its items lie side by side and have a fitting type."""
    return array.layout == "C" and array.dtype in (types.float64, types.int64)


def _up_to_end(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Which of the places from args[1] on are in the array args[0]."""
    number = builder.sub(_array(context, builder, sig.args[0], args[0]).nitems, args[1])
    return builder.icmp_signed(">", _all(builder, INTEGERS, number), ir.Constant(INTEGERS, list(range(D))))


@intrinsic
def load_eight(typing_context, array, at):
    """array[at : at + D], of doubles or whole numbers."""
    if not _has_vectors(array):
        return None
    result, vector = (doubles, DOUBLES) if array.dtype == types.float64 else (integers, INTEGERS)

    def emit(context, builder, sig, args):
        return builder.load(_place(context, builder, sig.args[0], args[0], args[1], vector), align=8)

    return result(array, types.int64), emit


@intrinsic
def load_rest(typing_context, array, at, beyond):
    """array[at:], fewer than D, and `beyond` in the other places."""
    if not _has_vectors(array):
        return None
    result, vector, name = (doubles, DOUBLES, "f64") if array.dtype == types.float64 else (integers, INTEGERS, "i64")

    def emit(context, builder, sig, args):
        mask = _up_to_end(context, builder, sig, args)
        kind = ir.FunctionType(vector, [vector.as_pointer(), ir.IntType(32), mask.type, vector])
        load = builder.module.declare_intrinsic(f"llvm.masked.load.v{D}{name}.p0", fnty=kind)
        place = _place(context, builder, sig.args[0], args[0], args[1], vector)
        return builder.call(load, [place, ir.Constant(ir.IntType(32), 8), mask, _all(builder, vector, args[2])])

    return result(array, types.int64, array.dtype), emit


@intrinsic
def store_eight(typing_context, array, at, value):
    """array[at : at + D] = value"""

    def emit(context, builder, sig, args):
        builder.store(args[2], _place(context, builder, sig.args[0], args[0], args[1], args[2].type), align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, value), emit


@intrinsic
def store_rest(typing_context, array, at, value):
    """array[at:] = value, fewer than D."""
    name = "f64" if array.dtype == types.float64 else "i64"

    def emit(context, builder, sig, args):
        vector, mask = args[2].type, _up_to_end(context, builder, sig, args)
        kind = ir.FunctionType(ir.VoidType(), [vector, vector.as_pointer(), ir.IntType(32), mask.type])
        put = builder.module.declare_intrinsic(f"llvm.masked.store.v{D}{name}.p0", fnty=kind)
        builder.call(
            put,
            [
                args[2],
                _place(context, builder, sig.args[0], args[0], args[1], vector),
                ir.Constant(ir.IntType(32), 8),
                mask,
            ],
        )
        return context.get_dummy_value()

    return types.void(array, types.int64, value), emit


@intrinsic
def add(typing_context, one, other):
    """The sums, place by place."""

    def emit(context, builder, sig, args):
        return builder.add(*args) if sig.return_type == integers else builder.fadd(*args)

    return one(one, one), emit


@intrinsic
def look_up(typing_context, table, places):
    """table[place] for each place, none of which may be negative."""

    def emit(context, builder, sig, args):
        data = _array(context, builder, sig.args[0], args[0]).data
        found = ir.Constant(DOUBLES, ir.Undefined)
        for i in range(D):
            index = ir.Constant(ir.IntType(32), i)
            found = builder.insert_element(
                found, builder.load(builder.gep(data, [builder.extract_element(args[1], index)])), index
            )
        return found

    return doubles(table, integers), emit


@intrinsic
def mean_of(typing_context, sums, counts):
    """sum / count, place by place; the sum where the count is 0."""

    def emit(context, builder, sig, args):
        one = ir.Constant(INTEGERS, [1] * D)
        number = builder.select(builder.icmp_signed(">", args[1], one), args[1], one)
        return builder.fdiv(args[0], builder.sitofp(number, DOUBLES))

    return doubles(doubles, integers), emit


@intrinsic
def is_bit(typing_context, bits, places, values):
    """1 where the bit at a place of the word has the value there, else 0."""

    def emit(context, builder, sig, args):
        one, zero = ir.Constant(INTEGERS, [1] * D), ir.Constant(INTEGERS, [0] * D)
        there = builder.and_(builder.lshr(_all(builder, INTEGERS, args[0]), args[1]), one)
        return builder.select(builder.icmp_signed("==", there, args[2]), one, zero)

    return integers(types.int64, integers, integers), emit


@intrinsic
def times(typing_context, ones, amount):
    """The amount where there is a 1, else 0."""

    def emit(context, builder, sig, args):
        is_one = builder.icmp_signed("!=", args[0], ir.Constant(INTEGERS, [0] * D))
        return builder.select(is_one, _all(builder, DOUBLES, args[1]), ir.Constant(DOUBLES, [0.0] * D))

    return doubles(integers, types.float64), emit


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
    """array[at], of a position that is not negative. Numba's own way costs three instructions more."""

    def emit(context, builder, sig, args):
        return builder.load(builder.gep(_array(context, builder, sig.args[0], args[0]).data, [args[1]]))

    return array.dtype(array, types.int64), emit
