"""The colours of the report and of notebook displays, for light and dark mode.

CSS uses them as custom properties, such as `var(--ink)`. Colours that are used with an opacity are three numbers, as in
`rgb(var(--heat) / 0.5)`. Both modes have enough contrast for small letters (tests check it).
"""

from __future__ import annotations

COLOURS: dict[str, tuple[str, str]] = {
    "ground": ("#f6f7f8", "#0e1216"),
    "paper": ("#ffffff", "#161b21"),
    "ink": ("#1b1f24", "#e6eaef"),
    "muted": ("#555e68", "#a3adb8"),
    "line": ("#d6dce2", "#313a44"),
    "edge": ("#7d8893", "#77838f"),
    "soft": ("#eef1f4", "#1e252c"),
    "accent": ("#0b5cad", "#7cb8ff"),
    "heat": ("6 57 112", "150 205 255"),
    "heat-ink": ("#000000", "#ffffff"),
    "best": ("#e3f0fd", "#1b324a"),
    "warn": ("#fff4d6", "#332a10"),
    "warn-line": ("#d9a400", "#b98f1a"),
    "for": ("0 110 190", "70 160 235"),
    "against": ("222 106 0", "235 125 30"),
    "most": ("0.5", "0.45"),
    "shadow": ("20 30 40", "150 170 190"),
}
"""The light and the dark value of each colour; "most" is the opacity of the strongest mark in a text."""

LIGHT, DARK = 0, 1

NOTEBOOK_THEMES = {
    LIGHT: ('[data-jp-theme-light="true"]', ".vscode-light", 'html[theme="light"]'),
    DARK: ('[data-jp-theme-light="false"]', ".vscode-dark", 'html[theme="dark"]'),
}
"""How the pages of JupyterLab, Visual Studio Code and Colab show their theme, which may differ from the system's."""


def colour_css(selector: str, *, has_notebook_themes: bool = False) -> str:
    """Return CSS that defines the colours for elements that match a selector.

    Dark mode is that of the reader's system, on screens only; paper is always light. With `has_notebook_themes`, the
    theme of a notebook has precedence.
    """
    rules = [
        f"{selector}{{{_declarations(LIGHT)}}}",
        f"@media screen and (prefers-color-scheme: dark){{{selector}{{{_declarations(DARK)}}}}}",
    ]
    if has_notebook_themes:
        for mode, themes in NOTEBOOK_THEMES.items():
            selectors = ",".join(f"{theme} {selector}" for theme in themes)
            rules.append(f"@media screen{{{selectors}{{{_declarations(mode)}}}}}")
    return "".join(rules)


def _declarations(mode: int) -> str:
    """Return the custom properties of a mode, `LIGHT` or `DARK`."""
    scheme = ("light", "dark")[mode]
    return f"color-scheme:{scheme};" + ";".join(f"--{name}:{values[mode]}" for name, values in COLOURS.items())
