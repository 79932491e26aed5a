"""Shell completion, made from the parser itself."""

from __future__ import annotations

import argparse

SHELLS = ("bash", "zsh", "fish")


def completion(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script that a shell reads to complete ``pycvstat``.

    Parameters
    ----------
    parser : argparse.ArgumentParser
    shell : {"bash", "zsh", "fish"}

    Examples
    --------
    >>> from pycvstat.cli import make_parser
    >>> "complete -F _pycvstat" in completion(make_parser(), "bash")
    True
    """
    options = _options(parser)
    return _fish(options) if shell == "fish" else _bash(options, zsh=shell == "zsh")


def _options(parser: argparse.ArgumentParser) -> dict[str, tuple[str, list[str]]]:
    """Help and option words by command."""
    found: dict[str, tuple[str, list[str]]] = {}
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
        for name, command in action.choices.items():
            words = [w for a in command._actions for w in a.option_strings if w.startswith("--")]
            found[name] = (helps.get(name, ""), sorted(words))
    return found


def _bash(options: dict[str, tuple[str, list[str]]], *, zsh: bool) -> str:
    cases = "\n".join(
        f'    {name}) words="{" ".join(words)}" ;;' for name, (_, words) in options.items()
    )
    start = "autoload -U +X bashcompinit && bashcompinit\n" if zsh else ""
    return f"""{start}_pycvstat() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(options)}" -- "$current")); return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
    *) words="" ;;
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}}
complete -F _pycvstat pycvstat"""


def _fish(options: dict[str, tuple[str, list[str]]]) -> str:
    lines = []
    for name, (words, flags) in options.items():
        text = words.replace("'", "\\'")
        lines.append(f"complete -c pycvstat -n __fish_use_subcommand -f -a {name} -d '{text}'")
        lines += [
            f"complete -c pycvstat -n '__fish_seen_subcommand_from {name}' -l {flag[2:]}"
            for flag in flags
        ]
    return "\n".join(lines)
