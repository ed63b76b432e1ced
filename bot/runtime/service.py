"""The service of an installed release: its settings, its data folder and its user.

`sudo grognard doctor` and similar commands are about the service that runs this release. They read
the service's settings file, and continue as the service's user. So they see its database, and no
file of it ever belongs to root.
"""

import os
import pwd
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.rules.errors import UserError
from bot.runtime.settings import SettingsError, read_env_file, use_env_file

_HOME = Path(__file__).resolve().parents[2]
_RELEASE = re.compile(r"(?P<root>.*)/opt/grognard(/releases/\d+)?")
"""The folder of a release installed by deploy/install.sh below ROOT. Without a number it was
installed by hand.
"""
_UNIT = "/etc/systemd/system/grognard.service"
_OTHERS = 0o007


@dataclass(frozen=True, slots=True)
class Service:
    """The settings, folders and user that the systemd unit of an installed release names."""

    settings: Path
    folder: Path
    data: Path
    user: str


def find_service(home: Path = _HOME) -> Service | None:
    """Return the service that runs the program in `home`; None in a checkout, a wheel or a
    container.
    """
    release = _RELEASE.fullmatch(str(home))
    if release is None:
        return None
    root = release["root"]
    try:
        unit = Path(f"{root}{_UNIT}").read_text("utf-8")
    except OSError:
        return None
    lines = dict(
        re.findall(
            r"^(User|EnvironmentFile|WorkingDirectory|Environment=GROGNARD_DATA)=(.+)$", unit, re.M
        )
    )
    if len(lines) < 4:
        return None
    return Service(
        settings=Path(root + lines["EnvironmentFile"]),
        folder=Path(root + lines["WorkingDirectory"]),
        data=Path(root + lines["Environment=GROGNARD_DATA"]),
        user=lines["User"],
    )


def enter_service(service: Service, command: str) -> None:
    """Continue with the settings and the user of the service, and print the origin of the settings.

    Raise UserError if this user may not read the settings, and SettingsError for lines that systemd
    reads in another way.
    """
    try:
        account = pwd.getpwnam(service.user)
    except KeyError:
        raise UserError(
            f"The service runs as the user {service.user}, but there is no such user.",
            hint="sudo sh deploy/install.sh creates it.", code="bad-settings",
        ) from None  # fmt: skip
    if os.geteuid() not in (0, account.pw_uid):
        raise UserError(
            f"{service.settings} and the games belong to the user {service.user}.",
            hint=f"sudo grognard {command}", code="bad-settings",
        )  # fmt: skip
    use_env_file(service.folder / ".env", str(service.settings))
    values = _read_settings(service)
    if values is not None:
        _take_on({"GROGNARD_DATA": str(service.data)} | values, service)
    else:  # systemd gave them to this process, or nobody did
        os.environ.setdefault("GROGNARD_DATA", str(service.data))
        print(
            f"settings from the environment: {service.user} cannot read {service.settings}",
            file=sys.stderr,
        )
    if os.geteuid() != account.pw_uid:
        _become(account)


def are_settings_open(service: Service) -> bool:
    """Return whether a user outside the service's group may read its settings.

    Raise OSError if they do not exist.
    """
    return bool(service.settings.stat().st_mode & _OTHERS)


def _read_settings(service: Service) -> dict[str, str] | None:
    """Return {name: value} of the settings of the service, None if this user may not read them.

    Raise SettingsError for a file that is missing or malformed, or has a line that systemd reads in
    another way.
    """
    path = service.settings
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        missing = f"{path} is missing, so the service cannot start."
        raise SettingsError([f"{missing} sudo sh deploy/install.sh creates it."]) from None
    except PermissionError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError([f"{path} cannot be read: {error}."]) from None
    problems = list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        problem = _problem_for_systemd(line.strip())
        if problem:
            problems.append(f"{path} line {number}: {problem}")
    values = read_env_file(path, problems)
    if problems:
        raise SettingsError(problems)
    return values


def _problem_for_systemd(line: str) -> str:
    """Return how systemd would read a line in another way than the bot, or "".

    The line itself is not quoted, since it may contain a token.
    """
    name, _, value = line.partition("=")
    if line.startswith(("#", ";")):
        return ""
    if name.startswith("export "):
        return 'systemd does not understand "export": write just NAME=value.'
    if " #" in value and value.lstrip()[:1] not in ("'", '"'):
        return "systemd reads a comment after a value as part of the value: put the comment on its own line."
    if line.endswith("\\"):
        return "a backslash at the end joins this line to the next: remove the backslash."
    return ""


def _take_on(values: Mapping[str, str], service: Service) -> None:
    """Add the values to the environment, which takes precedence, and print their origin.

    Print nothing if all of them were there before.
    """
    added = [name for name in values if not os.environ.get(name)]
    overridden = [
        name for name, value in values.items() if os.environ.get(name, value) not in (value, "")
    ]
    os.environ.update({name: values[name] for name in added})
    packs = os.environ.get("GROGNARD_PACKS", "")
    if "GROGNARD_PACKS" in added and (service.folder / packs).exists():
        os.environ["GROGNARD_PACKS"] = str(service.folder / packs)  # the service is started there
    if added or overridden:
        exceptions = f", {' and '.join(overridden)} from the environment" if overridden else ""
        print(f"settings from {service.settings}{exceptions}", file=sys.stderr)


def _become(account: pwd.struct_passwd) -> None:
    """Give up root's rights for those of a user, for good."""
    os.initgroups(account.pw_name, account.pw_gid)
    os.setgid(account.pw_gid)
    os.setuid(account.pw_uid)
    os.umask(0o077)
    os.environ.update(HOME=account.pw_dir, USER=account.pw_name, LOGNAME=account.pw_name)
