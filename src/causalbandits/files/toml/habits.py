"""What people write out of habit and TOML does not read: 4,000 or $4000 for a number, text without quotation marks."""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal

CURRENCIES = "$€£¥₹"
CURLY = "“”„‟‘’‚‛«»"  # what word processors make of quotation marks
GROUPED = r"[+-]?\d{1,3}(?:[,' \u00a0\u202f_]\d{3})+"  # digits in groups of three
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
WORD = r"[^\W\d][\w .-]*"
TRUTH_KEYS = {"observe", "strict", "hidden", "intervenable", "keep_money"}
TRUTH = {"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}


def plain_number(text: str) -> str | None:
    """The number that a text means, as TOML writes it: "$4,000.50" is 4000.50 and "1,5" is 1.5. None if it is none."""
    bare = re.sub(rf"^[{CURRENCIES}]\s*|\s*(?:[{CURRENCIES}]|[A-Z]{{3}})$", "", text.strip())
    percent = re.fullmatch(r"(.*?)\s*%", bare)
    if percent is not None:
        number = plain_number(percent[1])
        return None if number is None or "e" in number.lower() else f"{(Decimal(number) / 100).normalize():f}"
    if re.fullmatch(rf"{GROUPED}(?:\.\d+)?", bare):
        bare = re.sub(r"[^\d.+-]", "", bare)
    elif re.fullmatch(r"[+-]?\d{1,3}(?:\.\d{3})+,\d+", bare):  # 4.000,50
        bare = bare.replace(".", "")
    bare = bare.replace(",", ".", 1)
    if not re.fullmatch(NUMBER, bare):
        return None
    sign, digits, rest = re.fullmatch(r"([+-]?)(\d*)(.*)", bare).groups()  # type: ignore[union-attr]  # it matches all
    return f"{sign}{digits.lstrip('0') or '0'}{re.sub(r'^[.](?=$|[eE])', '', rest)}"


def habit(line: str) -> str | None:
    """The sentence about a line that TOML does not read, if its mistake is a known habit."""
    if _is_toml(line):  # the mistake is in another line
        return None
    code = line.partition("#")[0]
    if any(sign in code for sign in CURLY):
        return 'This line has typographic quotation marks; write straight ones, as in "text".'
    colon = re.fullmatch(r"\s*([\w.-]+)\s*:\s*(.*?)\s*", code)
    if colon is not None and _is_toml(f"{colon[1]} = {colon[2]}"):
        return f"A key and its value have the sign = between them; write {colon[1]} = {colon[2]}."
    pair = re.fullmatch(r"\s*([^=]+?)\s*=\s*(.*?)\s*", code)
    if pair is None:
        return None
    key, value = pair.groups()
    number = plain_number(value)
    if number is not None:
        return f"A number is written without separators, signs and units; write {key} = {number}."
    if key in TRUTH_KEYS and value.lower() in TRUTH:
        return f"This is true or false, in small letters; write {key} = {TRUTH[value.lower()]}."
    if re.fullmatch(WORD, value):
        return f'Text is written in quotation marks; write {key} = "{value}".'
    if re.fullmatch(rf"\[\s*{WORD}(?:,\s*{WORD})*\]", value):
        words = ", ".join(f'"{word.strip()}"' for word in value[1:-1].split(","))
        return f"Text is written in quotation marks; write {key} = [{words}]."
    if _is_toml(f"{key} = [{value}]"):
        return f"A list is written in [ ]; write {key} = [{value}]."
    return None


def _is_toml(line: str) -> bool:
    try:
        tomllib.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
