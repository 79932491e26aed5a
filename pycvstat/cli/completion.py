"""Completing the words of the command ``pycvstat`` in the shell."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from pycvstat.cli.options import FOLDS, LEARNERS
from pycvstat.folds import DIALECTS

_OPEN = {
    "--learner": tuple(LEARNERS),
    **dict.fromkeys(("--folds", "--outer", "--inner"), (*FOLDS, *DIALECTS)),
}
"""Words that options begin with, where the parser does not list them."""


@dataclass(frozen=True, slots=True)
class Command:
    """What can be completed after a command: its help, its options, and their values."""

    words: str
    options: tuple[str, ...]
    values: dict[str, tuple[str, ...]]
    positions: tuple[str, ...]


def completion_script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script that a shell reads to complete ``pycvstat``.

    Parameters
    ----------
    parser : argparse.ArgumentParser
    shell : {"bash", "zsh", "fish"}

    Examples
    --------
    >>> from pycvstat.cli.parser import make_parser
    >>> "-F _pycvstat" in completion_script(make_parser(), "bash")
    True
    """
    commands = _commands(parser)
    return _fish(commands) if shell == "fish" else _bash(commands, zsh=shell == "zsh")


def _commands(parser: argparse.ArgumentParser) -> dict[str, Command]:
    (choices,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    helps = {choice.dest: choice.help or "" for choice in choices._choices_actions}
    return {name: _command(one, helps.get(name, "")) for name, one in choices.choices.items()}


def _command(parser: argparse.ArgumentParser, words: str) -> Command:
    options = {o: a for a in parser._actions for o in a.option_strings if o.startswith("--")}
    values = {o: tuple(map(str, a.choices)) for o, a in options.items() if a.choices}
    values |= {o: of for o, of in _OPEN.items() if o in options}
    positions = [a for a in parser._actions if not a.option_strings and a.choices]
    listed = tuple(str(word) for a in positions for word in a.choices or ())
    return Command(words, tuple(sorted(options)), values, listed)


def _bash(commands: dict[str, Command], *, zsh: bool) -> str:
    cases = "\n".join(
        f'    {name}) words="{" ".join(of.options)}"; listed="{" ".join(of.positions)}" ;;'
        for name, of in commands.items()
    )
    values = {option: of for c in commands.values() for option, of in c.values.items()}
    after = "\n".join(f'    {option}) listed="{" ".join(of)}" ;;' for option, of in values.items())
    start = "autoload -U +X bashcompinit && bashcompinit\n" if zsh else ""
    return f"""{start}_pycvstat() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
  local words="" listed=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(commands)}" -- "$current")); return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  case "$before" in
{after}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) if [ -n "$listed" ]; then
         COMPREPLY=($(compgen -W "$listed" -- "$current"))
       else
         COMPREPLY=($(compgen -f -- "$current"))
       fi ;;
  esac
}}
complete -o filenames -F _pycvstat pycvstat"""


def _fish(commands: dict[str, Command]) -> str:
    lines = []
    for name, of in commands.items():
        text = of.words.replace("'", "\\'")
        inside = f"complete -c pycvstat -n '__fish_seen_subcommand_from {name}'"
        lines.append(f"complete -c pycvstat -n __fish_use_subcommand -f -a {name} -d '{text}'")
        for option in of.options:
            values = of.values.get(option)
            lines.append(
                f"{inside} -l {option[2:]}" + (f" -x -a '{' '.join(values)}'" if values else "")
            )
        if of.positions:
            lines.append(f"{inside} -f -a '{' '.join(of.positions)}'")
    return "\n".join(lines)
