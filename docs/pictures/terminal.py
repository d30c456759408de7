"""Draws a captured screen of a terminal as SVG: `tmux capture-pane -e -p | terminal.py TITLE`.

Reads the text and its colours as escape sequences from standard input. A sequence that it does not
know is an error, so that a picture is never silently wrong. Every run of cells has a fixed width:
the columns line up in any font.
"""

import re
import sys
from html import escape

CELL, LINE, MARGIN = 8.4, 19, 18
INK, PAPER = "#d8dbde", "#16191d"
COLOURS = ["#5b626b", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#5cc9bf", "#e4e6e8"]
PLAIN = {"colour": None, "bold": False, "dim": False}


def styled(style, codes):
    """Returns the style after one escape sequence."""
    numbers = [int(code or 0) for code in codes.split(";")]
    style = dict(style)
    while numbers:
        number = numbers.pop(0)
        if number == 0:
            style = dict(PLAIN)
        elif number in (1, 2):
            style["bold" if number == 1 else "dim"] = True
        elif number == 38 and numbers[0] == 5 and numbers[1] < 16:
            style["colour"] = COLOURS[numbers[1] % 8]
            del numbers[:2]
        elif 30 <= number <= 37:
            style["colour"] = COLOURS[number - 30]
        elif number == 39:
            style["colour"] = None
        elif number != 49:  # the default background
            sys.exit(f"unknown escape sequence: {codes}")
    return style


def cells(line, style):
    """Returns the runs of a line as (column, text, style), and the style after it."""
    runs, column = [], 0
    for i, part in enumerate(re.split(r"\x1b\[([0-9;]*)m", line)):
        if i % 2:
            style = styled(style, part)
        elif part:
            if part.strip():
                start = column + len(part) - len(part.lstrip())
                runs.append((start, part.strip(), style))
            column += len(part)
    return runs, style


def main():
    lines = sys.stdin.read().rstrip("\n").split("\n")
    title = escape(sys.argv[1])
    width, height = round(80 * CELL + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    )
    print(f"<title>{title}</title>")
    print(f'<rect width="{width}" height="{height}" rx="10" fill="{PAPER}"/>')
    print(
        f'<g font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14" fill="{INK}">'
    )
    style = PLAIN
    for row, line in enumerate(lines):
        runs, style = cells(line, style)
        for column, text, run in runs:
            look = f' fill="{run["colour"]}"' if run["colour"] else ""
            look += ' font-weight="bold"' if run["bold"] else ""
            look += ' opacity="0.65"' if run["dim"] else ""
            x, y = MARGIN + column * CELL, MARGIN + row * LINE + 14
            print(
                f'<text x="{x:.1f}" y="{y}" textLength="{len(text) * CELL:.1f}" '
                f'xml:space="preserve"{look}>{escape(text)}</text>'
            )
    print("</g>\n</svg>")


if __name__ == "__main__":
    main()
