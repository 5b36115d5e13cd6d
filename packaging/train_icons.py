"""Trains the network that names drawn icons (operator_console/perception/icons.py) and measures it on other icon sets.

    npm install --ignore-scripts lucide-static @tabler/icons bootstrap-icons @material-design-icons/svg \
        @fluentui/svg-icons @phosphor-icons/core @carbon/icons @mdi/svg @primer/octicons remixicon ionicons heroicons \
        @fortawesome/fontawesome-free @vscode/codicons boxicons eva-icons
    .venv/bin/python packaging/train_icons.py NODE_MODULES              # trains, writes resources/icons_known, measures
    .venv/bin/python packaging/train_icons.py NODE_MODULES --measure    # measures the shipped network

Takes about a quarter of an hour on two cores. Only sets under the Apache, MIT and ISC licences train it; none of the
sets that measure it does. What an icon stands for is told from the name of its file; names that are neither plainly
one of the five nor plainly something else ("unlock", "cart-plus", "share") are left out of both.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image
from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from operator_console.perception.icons import NAMES, SURE, Shape, patches, probabilities, shape_of
from operator_console.resource_files import resource_path

Grey = npt.NDArray[np.uint8]

TRAINING = {
    "lucide": "lucide-static/icons/*.svg",
    "tabler": "@tabler/icons/icons/*/*.svg",
    "bootstrap": "bootstrap-icons/icons/*.svg",
    "material": "@material-design-icons/svg/*/*.svg",
    "fluent": "@fluentui/svg-icons/icons/*.svg",
    "phosphor": "@phosphor-icons/core/assets/*/*.svg",
    "carbon": "@carbon/icons/svg/32/*.svg",
    "mdi": "@mdi/svg/svg/*.svg",
}
MEASURED = {
    "octicons": "@primer/octicons/build/svg/*.svg",
    "remix": "remixicon/icons/*/*.svg",
    "ion": "ionicons/dist/svg/*.svg",
    "hero": "heroicons/24/*/*.svg",
    "fontawesome": "@fortawesome/fontawesome-free/svgs/*/*.svg",
    "codicon": "@vscode/codicons/src/icons/*.svg",
    "boxicons": "boxicons/svg/*/*.svg",
    "eva": "eva-icons/*/svg/*.svg",
}
MEASURED_SIZES = (14, 16, 20, 24, 32, 48)

_STYLES = {
    "phosphor": r"-(bold|fill|light|thin|duotone)$",
    "bootstrap": r"-fill$",
    "remix": r"-(fill|line)$",
    "fluent": r"_\d+_(filled|regular|light)$",
    "ion": r"-(outline|sharp)$",
    "octicons": r"(-fill)?-(12|16|24|32|48|96)$",
    "carbon": r"--filled$",
    "boxicons": r"^bx[sl]?-",
    "eva": r"-outline$",
}
_MEANINGS = {
    "delete": r"trash([-_]?(2|3|4|alt|can|bin|simple|x))?(-outline)?|delete([-_](forever|outline|forever-outline|empty"
    r"|empty-outline))?|delete-bin(-\d)?|bin",
    "send": r"send(-\d|-variant|-variant-outline|-outline|-horizontal|--alt)?|paper-?(air)?plane(-right|-tilt)?"
    r"|send-plane(-2)?",
    "upload": r"upload(-\d)?|cloud[-_]upload(-alt|-outline)?|upload-cloud(-2)?|cloud--upload|file_upload"
    r"|arrow[-_]upload|tray-arrow-up|arrow-up-tray|cloud[-_]arrow[-_]up|upload-simple|arrow-up-from-bracket",
    "lock": r"(pad)?lock(-\d|-alt|[-_]closed|-outline|-simple|-keyhole|-small|ed|-laminated|-key|-password"
    r"|_outline)?",
    "pay": r"(shopping)?[-_]{0,2}cart(-\d|-alt|-simple|-outline|-variant|-shopping)?",
}
_UNCLEAR = re.compile(
    r"trash|delete|(^|[-_])bin([-_]|$)|garbage|recycle|erase|send|plane(?!t)|upload|lock(?!wise)(?<!clock)(?<!block)"
    r"|cart|basket|bag|share|export|publish|outbox|backup|near[-_]?me|navigation|location-?arrow|telegram|outbound"
    r"|tray|arrow-up-(square|on)|box-arrow-up|arrow-bar-up|secur|shield|unsubscribe|discard|shop|store|cloud.*up"
    r"|up.*cloud|restore_from|password|key|encrypt|direct(ion)?|cursor",
    re.IGNORECASE,
)
_NEGATIVES_A_SET = 1500
_WORDS = (
    "OK", "No", "Yes", "Save", "Open", "12", "A", "B", "x", "@", "&", "§", "100", "File", "Edit", "View", "Send",
    "Delete", "i", "!", "?", "+", "Aa", "5", "7", "Q", "R", "%", "€", "ja", "日", "語", "文", "あ", "Да", "Я",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """One icon of a set: its name without the set's style, what it stands for, and its file."""

    set: str
    name: str
    meaning: str
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The shape of a rendered drawing, None where it was not found, and the size it was rendered at."""

    drawing: Drawing
    size: int
    shape: Shape | None


def drawings(folder: Path, sets: dict[str, str]) -> Iterator[Drawing]:
    """The drawings of the sets whose meaning is clear."""
    for name, pattern in sets.items():
        for path in sorted(folder.glob(pattern)):
            plain = re.sub(_STYLES.get(name, "$^"), "", path.stem)
            meaning = _meaning(name, plain)
            if meaning is not None and not path.stem.endswith("_color"):
                yield Drawing(set=name, name=plain, meaning=meaning, path=path)


def _meaning(set_name: str, name: str) -> str | None:
    if set_name in ("lucide", "tabler") and name == "delete":  # there it is the key that deletes to the left
        return None
    for meaning, pattern in _MEANINGS.items():
        if re.fullmatch(pattern, name):
            return meaning
    return None if _UNCLEAR.search(name) else ""


def rendered(path: Path, size: int) -> Grey | None:
    """The coverage of each pixel, 0..255; None for a file that Qt cannot draw."""
    renderer = QSvgRenderer(QByteArray(path.read_bytes()))
    if not renderer.isValid():
        return None
    renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
    image = _blank(size, size)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return _coverage(image)


def written(text: str, size: int) -> Grey | None:
    """The coverage of a short text: not an icon either."""
    image = _blank(2 * size, 2 * size)
    painter = QPainter(image)
    font = QFont("DejaVu Sans")
    font.setPixelSize(size)
    painter.setFont(font)
    painter.setPen(QColor("black"))
    painter.drawText(image.rect(), Qt.AlignmentFlag.AlignCenter, text)
    painter.end()
    return _coverage(image)


def _blank(width: int, height: int) -> QImage:
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    return image


def _coverage(image: QImage) -> Grey | None:
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., 3].copy()
    return pixels if pixels.max() > 60 else None


def painted(coverage: Grey, chance: np.random.Generator) -> Grey:
    """The coverage as pixels in a random colour on another, with a little noise."""
    share = np.pad(coverage, 5).astype(np.float32)[..., None] / 255
    paper = chance.integers(0, 256, 3)
    ink = chance.integers(0, 256, 3)
    while np.abs(paper - ink).max() < 90:
        ink = chance.integers(0, 256, 3)
    noise = chance.normal(0, 1, share.shape)
    return np.clip(paper + (ink - paper) * share + noise, 0, 255).astype(np.uint8)


def bent(coverage: Grey, chance: np.random.Generator) -> Grey:
    """The coverage, slightly turned, stretched and sheared."""
    margin = coverage.shape[0] // 4 + 2
    image = Image.fromarray(np.pad(coverage, margin))
    angle = np.deg2rad(chance.uniform(-8, 8))
    across, down = chance.uniform(0.9, 1.1, 2)
    matrix = np.array(
        [[np.cos(angle) / across, chance.uniform(-0.08, 0.08) - np.sin(angle) / down],
         [np.sin(angle), np.cos(angle) / down]]
    )  # fmt: skip
    centre = np.array(image.size) / 2
    offset = centre - matrix @ centre + chance.uniform(-0.5, 0.5, 2)
    terms = (*matrix[0], offset[0], *matrix[1], offset[1])
    return np.asarray(image.transform(image.size, Image.Transform.AFFINE, terms, Image.Resampling.BILINEAR))


def training_shapes(folder: Path, chance: np.random.Generator) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Shapes and the index of their meaning in `NAMES`; each wanted icon in many sizes and slightly bent."""
    picked = random.Random(1)
    by_set: dict[str, list[Drawing]] = {}
    wanted: list[tuple[Grey | None, int]] = []
    for drawing in drawings(folder, TRAINING):
        if drawing.meaning:
            for _ in range(8):
                coverage = rendered(drawing.path, picked.randint(14, 64))
                wanted += [(coverage, NAMES.index(drawing.meaning))] * 8
        else:
            by_set.setdefault(drawing.set, []).append(drawing)
    for others in by_set.values():
        for drawing in picked.sample(others, min(len(others), _NEGATIVES_A_SET)):
            wanted += [(rendered(drawing.path, picked.randint(14, 64)), 0) for _ in range(3)]
    wanted += [(written(word, size), 0) for word in _WORDS for size in range(11, 35, 2)]
    shapes: list[Shape] = []
    meanings: list[int] = []
    for coverage, meaning in wanted:
        if coverage is None:
            continue
        shape = shape_of(
            painted(bent(coverage, chance) if chance.random() < (0.85 if meaning else 0.3) else coverage, chance)
        )
        if shape is not None:
            shapes.append(shape)
            meanings.append(meaning)
    return np.stack(shapes), np.array(meanings)


class Training:
    """The network while it learns: its weights and the moments of Adam (Kingma and Ba, 2015)."""

    def __init__(self, chance: np.random.Generator, *, filters: tuple[int, int] = (12, 24), hidden: int = 48) -> None:
        self._chance = chance
        first, second = filters
        self.weights: dict[str, npt.NDArray[np.float32]] = {
            "filters1": self._start(25, first), "bias1": np.zeros(first, np.float32),
            "filters2": self._start(9 * first, second), "bias2": np.zeros(second, np.float32),
            "full3": self._start(36 * second, hidden), "bias3": np.zeros(hidden, np.float32),
            "full4": self._start(hidden, len(NAMES)), "bias4": np.zeros(len(NAMES), np.float32),
        }  # fmt: skip
        self._mean = {name: np.zeros_like(value) for name, value in self.weights.items()}
        self._square = {name: np.zeros_like(value) for name, value in self.weights.items()}
        self._steps = 0

    def learn(self, shapes: npt.NDArray[np.float32], meanings: npt.NDArray[np.int64], *, epochs: int) -> None:
        """Go through all shapes `epochs` times, in other strengths of stroke and shifted by up to a pixel."""
        batch = 128
        total = epochs * (len(shapes) // batch)
        for epoch in range(epochs):
            order = self._chance.permutation(len(shapes))
            losses = []
            for start in range(0, len(order) - batch, batch):
                some = order[start : start + batch]
                strength = self._chance.uniform(0.6, 1.7, (batch, 1, 1)).astype(np.float32)
                shifted = np.roll(shapes[some] ** strength, tuple(self._chance.integers(-1, 2, 2)), (1, 2))
                rate = 1e-3 * (1 + np.cos(np.pi * self._steps / total)) + 1e-5
                losses.append(self._step(shifted, meanings[some], rate))
            print(f"epoch {epoch + 1} of {epochs}: loss {np.mean(losses):.4f}", flush=True)

    def _start(self, inputs: int, outputs: int) -> npt.NDArray[np.float32]:
        return self._chance.normal(0, np.sqrt(2 / inputs), (inputs, outputs)).astype(np.float32)

    def _step(self, shapes: npt.NDArray[np.float32], meanings: npt.NDArray[np.int64], rate: float) -> float:
        weights = self.weights
        seen1 = patches(shapes[..., None], 5)
        sum1 = seen1 @ weights["filters1"] + weights["bias1"]
        maps1 = np.maximum(sum1, 0)
        seen2 = patches(maps1, 3)
        sum2 = seen2 @ weights["filters2"] + weights["bias2"]
        maps2 = np.maximum(sum2, 0)
        kept2 = self._dropout((len(shapes), maps2[0].size), 0.2)
        flat = maps2.reshape(len(shapes), -1) * kept2
        sum3 = flat @ weights["full3"] + weights["bias3"]
        kept3 = self._dropout(sum3.shape, 0.3)
        hidden = np.maximum(sum3, 0) * kept3
        scores = hidden @ weights["full4"] + weights["bias4"]
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        rows = np.arange(len(shapes))
        heavy = np.where(meanings > 0, 1.5, 1).astype(np.float32)
        loss = float(-(heavy * np.log(likely[rows, meanings] + 1e-9)).mean())

        slope = likely
        slope[rows, meanings] -= 1
        slope *= (heavy / len(shapes))[:, None]
        slopes = {"full4": hidden.T @ slope, "bias4": slope.sum(axis=0)}
        slope = (slope @ weights["full4"].T) * kept3 * (sum3 > 0)
        slopes |= {"full3": flat.T @ slope, "bias3": slope.sum(axis=0)}
        slope = ((slope @ weights["full3"].T) * kept2).reshape(maps2.shape) * (sum2 > 0)
        count2, count1 = maps2.shape[-1], maps1.shape[-1]
        slopes |= {
            "filters2": seen2.reshape(-1, seen2.shape[-1]).T @ slope.reshape(-1, count2),
            "bias2": slope.sum(axis=(0, 1, 2)),
        }
        slope = _unpatched(slope @ weights["filters2"].T, maps1.shape, 3) * (sum1 > 0)
        slopes |= {
            "filters1": seen1.reshape(-1, seen1.shape[-1]).T @ slope.reshape(-1, count1),
            "bias1": slope.sum(axis=(0, 1, 2)),
        }
        self._adapt(slopes, rate)
        return loss

    def _adapt(self, slopes: dict[str, npt.NDArray[np.float32]], rate: float) -> None:
        self._steps += 1
        for name, raw in slopes.items():
            slope = raw if name.startswith("bias") else raw + 1e-4 * self.weights[name]
            self._mean[name] = 0.9 * self._mean[name] + 0.1 * slope
            self._square[name] = 0.999 * self._square[name] + 0.001 * slope * slope
            mean = self._mean[name] / (1 - 0.9**self._steps)
            square = self._square[name] / (1 - 0.999**self._steps)
            self.weights[name] -= (rate * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)

    def _dropout(self, shape: tuple[int, ...], share: float) -> npt.NDArray[np.float32]:
        return (self._chance.random(shape) > share).astype(np.float32) / np.float32(1 - share)


def _unpatched(slopes: npt.NDArray[np.float32], shape: Sequence[int], side: int) -> npt.NDArray[np.float32]:
    """Adds up the slopes of all neighbourhoods that a pixel belongs to: the reverse of `patches`."""
    number, height, width, channels = shape
    margin = side // 2
    total = np.zeros((number, height + 2 * margin, width + 2 * margin, channels), np.float32)
    parts = slopes.reshape(number, (height + 1) // 2, (width + 1) // 2, side, side, channels)
    for row in range(side):
        for column in range(side):
            total[:, row : row + height : 2, column : column + width : 2] += parts[:, :, :, row, column]
    return total[:, margin:-margin, margin:-margin]


def measure(folder: Path, chance: np.random.Generator) -> None:
    """Print how many icons of the other sets are named rightly, and how many others are named at all."""
    samples = [
        Sample(drawing=drawing, size=size, shape=shape_of(painted(coverage, chance)))
        for drawing in drawings(folder, MEASURED)
        for size in MEASURED_SIZES
        if (coverage := rendered(drawing.path, size)) is not None
    ]
    found = [sample for sample in samples if sample.shape is not None]
    stacked = np.stack([sample.shape for sample in found if sample.shape is not None])
    likely = np.concatenate([probabilities(stacked[start : start + 2000]) for start in range(0, len(stacked), 2000)])
    said = {id(sample): row for sample, row in zip(found, likely, strict=True)}
    named: Counter[tuple[str, str]] = Counter()
    sizes: Counter[tuple[str, int]] = Counter()
    mistaken: Counter[str] = Counter()
    for sample in samples:
        row = said.get(id(sample))
        best = 0 if row is None else int(row[1:].argmax()) + 1
        name = NAMES[best] if row is not None and row[best] >= SURE else ""
        meaning = sample.drawing.meaning
        named[meaning, "right" if name == meaning else "unnamed" if not name else "wrong"] += 1
        sizes["right" if name == meaning else "not", sample.size] += bool(meaning)
        if not meaning and name:
            mistaken[f"{sample.drawing.set} {sample.drawing.name} as {name}"] += 1
    for meaning in NAMES:
        counts = [named[meaning, result] for result in ("right", "unnamed", "wrong")]
        print(f"{meaning or 'other icons':12} right {counts[0]:6} unnamed {counts[1]:5} wrong {counts[2]:5}"
              f"  {100 * counts[0] / sum(counts):.2f} %")  # fmt: skip
    for size in MEASURED_SIZES:
        right = sizes["right", size]
        print(f"{size} px: {right} of {right + sizes['not', size]} of the five kinds named")
    print("most often mistaken:", ", ".join(f"{what} ({count})" for what, count in mistaken.most_common(12)))


def main() -> int:
    """Train and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="a node_modules folder with the icon sets")
    parser.add_argument("--measure", action="store_true", help="only measure the shipped network")
    given = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QGuiApplication(sys.argv[:1])  # fonts need one
    chance = np.random.default_rng(5)
    if not given.measure:
        shapes, meanings = training_shapes(given.folder, chance)
        print(f"{len(shapes)} shapes: {dict(zip(NAMES, np.bincount(meanings).tolist(), strict=True))}", flush=True)
        training = Training(chance)
        training.learn(shapes, meanings, epochs=8)
        small = {name: value.astype(np.float16) for name, value in training.weights.items()}
        np.savez_compressed(resource_path("icons_known") / "network.npz", **small)  # type: ignore[arg-type]
    measure(given.folder, chance)
    application.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
