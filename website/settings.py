"""The reference of the settings as Markdown, generated from the table of settings (`categorizer_settings.py`)."""

from __future__ import annotations

from textsieve.categorizer_settings import SETTINGS, SettingSpec


def settings_table() -> str:
    """Return a section for each setting: what it does, its values, its default and its option."""
    return "\n\n".join(_entry(spec) for spec in SETTINGS.values())


def _entry(spec: SettingSpec) -> str:
    """Return the section on a setting."""
    option = f"`{spec.option.name}`" if spec.option is not None else "none; only in Python"
    lines = [
        f"## `{spec.name}`",
        spec.help.replace("*", "\\*"),
        "\n".join(f"- `{name}`: {meaning}" for name, meaning in spec.choices.items()),
        f"| | |\n|---|---|\n| values | {spec.type_text.replace('|', chr(92) + '|')} |"
        f"\n| default | `{spec.default!r}` |\n| command line | {option} |",
    ]
    return "\n\n".join(line for line in lines if line)
