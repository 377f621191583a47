"""Collects comparisons, prints the largest difference of each kind, and remembers what failed."""

import torch


class Report:
    def __init__(self):
        self.worst = {}  # (case, kind) -> (largest difference, tolerance, number of tensors)
        self.failures = []

    def compare(self, case, kind, name, got, want, tolerance, where=None):
        """Compares two tensors; `tolerance` 0 means equal. `where` (bool) limits the comparison to some elements."""
        if got is None:
            self.failures.append(f"{case}: {name}: not written")
            return
        if tuple(got.shape) != tuple(want.shape):
            self.failures.append(f"{case}: {name}: shape {tuple(got.shape)}, expected {tuple(want.shape)}")
            return
        difference = (got.double() - want.double()).abs()
        if where is not None:
            difference = difference[where.expand_as(difference)]
        # A comparison with NaN is false, so that NaN counts as a failure.
        largest = float(difference.max()) if difference.numel() else 0.0
        if not largest <= tolerance:
            self.failures.append(f"{case}: {name}: differs by {largest:.3g}, tolerance {tolerance:g}")
        before, _, count = self.worst.get((case, kind), (0.0, tolerance, 0))
        self.worst[case, kind] = (max(before, largest), tolerance, count + 1)

    def expect(self, case, name, condition, found=""):
        if not condition:
            self.failures.append(f"{case}: {name} {found}".rstrip())

    def finish(self):
        """Prints everything; returns the exit status."""
        for (case, kind), (largest, tolerance, count) in sorted(self.worst.items()):
            bound = f"tolerance {tolerance:g}" if tolerance else "must be equal"
            print(f"{case:32} {kind:20} {count:4} tensors, largest difference {largest:.3g} ({bound})")
        for failure in self.failures:
            print("FAIL", failure)
        print(f"crosscheck: {len(self.failures)} failures" if self.failures else "crosscheck: everything agrees")
        return 1 if self.failures else 0


def padded_left(mask):
    """The positions of a left-padded batch that count, as bool [B, S]."""
    return mask.to(torch.bool)
