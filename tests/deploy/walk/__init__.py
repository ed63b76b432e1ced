"""The pages of deploy/ followed word by word on a bare Debian with systemd: `make walk`, as root,
on a machine with debootstrap and systemd-container."""
