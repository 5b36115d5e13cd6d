"""A disk under the record that takes its time: syncs of session files sleep, by a library loaded before libc.

Only the record's disk is slow: what the guard writes is another matter.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

_SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int calls;

static int of_record(int fd)
{
    char link[32], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return strstr(path, ".ocsession") != NULL;
}

static int slowly(const char *name, int fd)
{
    int every = atoi(getenv("SLOW_DISK_EVERY"));
    if (of_record(fd) && __sync_add_and_fetch(&calls, 1) % every == 0) {
        int log = open(getenv("SLOW_DISK_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (log >= 0) {
            if (write(log, ".", 1) < 0) {}
            close(log);
        }
        usleep((useconds_t)(atof(getenv("SLOW_DISK_S")) * 1e6));
    }
    return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}

int fsync(int fd) { return slowly("fsync", fd); }
int fdatasync(int fd) { return slowly("fdatasync", fd); }
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowDisk:
    """What to add to a program's environment, and where the library notes each sync that it delayed."""

    env: dict[str, str]
    log: Path

    @property
    def delayed(self) -> int:
        """How many syncs were delayed, or are now."""
        return self.log.stat().st_size if self.log.exists() else 0


def slow_disk(folder: Path, *, every: int, seconds: float) -> SlowDisk:
    """Each `every`th sync takes `seconds` longer. Skips the test where there is no C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    source, library, log = folder / "slow_disk.c", folder / "slow_disk.so", folder / "slow_disk.log"
    source.write_text(_SOURCE, encoding="utf-8")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    preload = " ".join(filter(None, (str(library), os.environ.get("LD_PRELOAD", ""))))
    env = {"LD_PRELOAD": preload, "SLOW_DISK_EVERY": str(every), "SLOW_DISK_S": str(seconds), "SLOW_DISK_LOG": str(log)}
    return SlowDisk(env=env, log=log)
