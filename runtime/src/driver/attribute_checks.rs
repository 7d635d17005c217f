//! Checks of attributes before the driver sees them.

use super::{AccessProperty, AccessWindow, Carveout, Limits};
use crate::error::LaunchError;

/// Physical domains that the device has.
pub(crate) fn check_domain_map(map: [u8; 2], limits: &Limits) -> Result<(), LaunchError> {
    let last = limits.mem_sync_domains.saturating_sub(1);
    match map.into_iter().find(|domain| u32::from(*domain) > last) {
        Some(domain) => Err(LaunchError::Domain { domain, last }),
        None => Ok(()),
    }
}

/// A percentage.
pub(crate) fn check_carveout(kernel: &'static str, carveout: Carveout) -> Result<(), LaunchError> {
    match carveout {
        Carveout::Percent(percent) if percent > 100 => Err(LaunchError::Carveout { kernel, percent }),
        Carveout::Percent(_) | Carveout::Default | Carveout::MaxL1 | Carveout::MaxShared => Ok(()),
    }
}

/// A window that the device can have; `kernel` is who asks for it.
pub(crate) fn check_window(
    kernel: &'static str,
    window: &AccessWindow,
    limit: usize,
) -> Result<(), LaunchError> {
    if window.bytes > limit {
        return Err(LaunchError::AccessWindow { kernel, bytes: window.bytes, limit });
    }
    if !(0.0..=1.0).contains(&window.hit_ratio) {
        return Err(LaunchError::HitRatio { kernel, ratio: window.hit_ratio.to_string() });
    }
    if window.miss == AccessProperty::Persisting {
        return Err(LaunchError::PersistingMiss { kernel });
    }
    Ok(())
}
