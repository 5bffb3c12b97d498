"""Private selection and testing: report-noisy-max, permute-and-flip and softmax, AboveThreshold, composition."""

from typing import Any

from replicate import deferred


def _public() -> dict[str, Any]:
    import replicate.mechanisms.composition as composition
    from replicate.mechanisms.above_threshold import (
        AboveThreshold,
        above_threshold_accuracy,
        above_threshold_failure,
        above_threshold_log_law,
    )
    from replicate.mechanisms.noisy_max import (
        NOISES,
        report_noisy_max,
        report_noisy_max_pmf,
        sample_pmf,
        softmax_pmf,
    )

    return locals()


__all__, __getattr__ = deferred(__name__, _public)
