"""The command line. Every command is a file of this package with a ``COMMAND``; this one calls it and reports errors.

====  ==============================================================
exit  meaning
====  ==============================================================
0     done
1     failed: no space, no permission, a missing package
2     the command line is wrong
130   interrupted from the keyboard
====  ==============================================================
"""

import argparse
import os
import sys
from collections.abc import Sequence

import belated
from belated.cli import paper
from belated.cli.command import CommandFailed
from belated.core.errors import BelatedError, InvalidArgument

COMMANDS = (paper.COMMAND,)
"""Every command, in the order of the help."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that ``argv`` asks for (default: the arguments of this process) and return the exit code."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.command is None:
        parser.print_help(sys.stderr)
        return 2
    try:
        code: int = options.command.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _failed(options, "interrupted", 130)
    except BrokenPipeError:
        # Whoever read the output has gone, as head does; what is left in the buffer must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except InvalidArgument as error:
        return _failed(options, str(error), 2)
    except (BelatedError, CommandFailed) as error:
        return _failed(options, str(error), 1)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="belated", description="Online decisions whose feedback comes late.")
    parser.add_argument("--version", action="version", version=f"belated {belated.__version__}")
    parser.set_defaults(command=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        subparser = commands.add_parser(
            command.name, help=command.help, description=f"{command.help[0].upper()}{command.help[1:]}."
        )
        command.add_options(subparser)
        subparser.set_defaults(command=command)
    return parser


def _failed(options: argparse.Namespace, message: str, code: int) -> int:
    print(f"belated {options.command.name}: {message}", file=sys.stderr)
    return code
