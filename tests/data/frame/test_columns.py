"""Words in R's order: recorded, and generated ones against a live R."""

from __future__ import annotations

import random
import unicodedata

import numpy as np

from pycvstat.data.frame import read_y
from pycvstat.data.frame.columns import word_order
from tests.rscript import live_r, r_values

# by sort() of R 4.2.2 with ICU 72.1 in C.UTF-8 and en_US.UTF-8; ␣ is a space, ⍽ one that holds
RECORDED = """
    'a' "a" “a” (a) [a] {a} % °C +1 <10 >=100 $ £ € 1 1.5 1/2 ½ 10 10-20 1e5 2 20-30 5 a A ª å
    a␣b a⍽b a_b a*b a&b Aarhus ab æ age Age AGE Ångström Århus b B C Capek Čapek cliché co-op
    CO-OP collegi col·legi coop Coop ð Dorde Ðorđe Duc Đức e̋ gross groß Groß grün Grün ħ i I İ
    II III IV ı k.A. Kontrolle Kraków ŀ Lodz Łódź m2 m² m³ männlich n/a naive Naive naïve № ŋ º
    ø Oersted oeuvre œuvre Œuvre Ol Öl Ørsted Placebo ĸ resume Resume résumé São␣Paulo
    São-Paulo ss ß Świnoujście Therapie ™ Tromsø ŧ V Viet Việt weiblich x␣1 x_1 x-1 x,1 x.1 x1
    X1 y z z̨ Zurich Zürich þ Þór Αθηνα Αθήνα Θεσσαλονίκη μg µg σ Σ ς Ґанок Гусь Елка Ёлка
    Ижевск Йошкар-Ола москва Москва
"""
IN_ORDER = RECORDED.replace("␣", "\0").split()
IN_ORDER = [word.replace("\0", " ").replace("⍽", "\u00a0") for word in IN_ORDER]


def test_words_are_sorted_as_recorded() -> None:
    mixed = random.Random(1).sample(IN_ORDER, len(IN_ORDER))
    assert [mixed[i] for i in word_order(mixed, "ICU")] == IN_ORDER


def test_levels_of_words_are_in_this_order() -> None:
    words = read_y(["z", "ø", "B", "a", None])
    assert words.as_factor()[1] == ("a", "B", "ø", "z")
    assert words.as_factor("C")[1] == ("B", "a", "z", "ø")
    assert words.as_factor("C")[0].tolist() == [2, 3, 0, 1, -1]


ACCENTED = "aAáÁàÀäÄåÅbBoOöÖøØsSßeEéÉ"
ALPHABETS = [
    [chr(i) for i in range(0x20, 0x7F)],
    [chr(i) for i in range(0xA0, 0x180) if i not in (0xAD, 0x149)],
    [c for c in map(chr, range(0x386, 0x3CF)) if unicodedata.name(c, "").startswith("GREEK")],
    [chr(i) for i in range(0x400, 0x460)],
    list("–—’“”…‰•№™€−≤≥≈√∞♀♂ạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹơưƠƯșȚґҐə"),
    [chr(i) for i in (*range(0x1E00, 0x1E9A), *range(0x1F00, 0x1F16), *range(0x1FB0, 0x1FB5))],
    list("ǎǏǭǯȀȃȫȳәғҗҙқҡңөҫүұҳһҷӘҢӨ"),
    list(ACCENTED),
    list("- _.,:;/()0123456789"),
]


def generated(draw: random.Random) -> str:
    if draw.random() < 0.5:
        letters = list(draw.choice(IN_ORDER))
        place = draw.randrange(len(letters))
        letters[place] = draw.choice([letters[place].swapcase(), draw.choice(ACCENTED), ""])
        return "".join(letters) + draw.choice(["", "", "1", " b", "-C"])
    alphabets = draw.choices(ALPHABETS, k=draw.randint(1, 2))
    return "".join(draw.choice(draw.choice(alphabets)) for _ in range(draw.randint(1, 6)))


@live_r
def test_generated_words_are_sorted_as_in_r() -> None:
    draw = random.Random(2)
    words = sorted({unicodedata.normalize("NFC", generated(draw)) for _ in range(6000)} - {""})
    draw.shuffle(words)
    points = [",".join(str(ord(char)) for char in word) for word in words]
    written = "),\n c(".join(points)
    code = f"x <- sapply(list(\n c({written})), intToUtf8); out(order(x) - 1)"
    (order,) = r_values(code, "C.UTF-8")
    np.testing.assert_array_equal(word_order(words, "ICU"), order)


@live_r
def test_words_in_the_c_locale() -> None:
    words = ["b", "a", "C", "B", "_x", "z", "a b", "ab", "a-b", "A", "a.b", "(1,2]", "10", "9"]
    quoted = ", ".join(f"'{word}'" for word in words)
    (order,) = r_values(f"out(order(c({quoted})) - 1)", "C")
    np.testing.assert_array_equal(word_order(words, "C"), order)
