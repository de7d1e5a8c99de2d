//! The machine that the environment describes: its devices, and the version of its driver.

use super::settings;
use crate::device_properties::{
    CHIPS, Chip, DEFAULT_CAPABILITY, DRIVER_VERSION, MULTIPROCESSORS, PTX_VERSION, Properties, memory_bytes,
};
use crate::result::{Outcome, invalid};
use std::ops::RangeInclusive;

/// Properties of the devices, as in `capability=7.5,memory=4096;capability=8.6`; the last device is like all that follow.
const VARIABLE: &str = "COALESCED_DEVICE_PROPERTIES";

const HELP: &str = "write properties as in `capability=7.5,memory=4096,multiprocessors=14,driver=12.1`: memory in MiB, and \
                    time-limit, the warp instructions after which a launch is ended; `;` is between devices, and driver with \
                    the first";

/// The machine.
pub(crate) struct Machine {
    /// The CUDA version of the driver, 1000 × major + 10 × minor.
    pub(crate) driver_version: i32,
    /// The newest PTX version that loads, times ten.
    pub(crate) ptx_version: u32,
    pub(crate) devices: Vec<Properties>,
}

impl Machine {
    /// Returns the machine. Fails if a variable is not as it must be.
    pub(crate) fn described() -> Outcome<Self> {
        let text = std::env::var_os(VARIABLE).unwrap_or_default().to_string_lossy().into_owned();
        let explain = |problem| invalid(format!("{VARIABLE} is `{text}`: {problem}; {HELP}"));
        let described: Vec<&str> = text.split(';').collect();
        let given = settings::devices()?;
        let count = given.unwrap_or(described.len() as u32);
        if described.len() > count as usize {
            return Err(explain(format!("{} devices, and COALESCED_DEVICES is {count}", described.len())));
        }
        let chip = Chip::find(DEFAULT_CAPABILITY).unwrap_or(CHIPS[0]);
        let memory_bytes = memory_bytes(count);
        let plain = Properties { chip, memory_bytes, multiprocessors: MULTIPROCESSORS, time_limit: None };
        let mut machine = Self { driver_version: DRIVER_VERSION, ptx_version: PTX_VERSION, devices: Vec::new() };
        for device in described {
            let mut properties = plain;
            for property in device.split(',').map(str::trim).filter(|property| !property.is_empty()) {
                machine.set(&mut properties, property).map_err(explain)?;
            }
            machine.devices.push(properties);
        }
        let last = machine.devices.last().copied().unwrap_or(plain);
        machine.devices.resize(count as usize, last);
        Ok(machine)
    }

    fn set(&mut self, device: &mut Properties, property: &str) -> Result<(), String> {
        let (name, value) = property.split_once('=').ok_or(format!("`{property}` has no value"))?;
        let number = |range: RangeInclusive<u64>| {
            let found = value.parse().ok().filter(|number| range.contains(number));
            found.ok_or(format!("{name} must be a number from {} to {}", range.start(), range.end()))
        };
        match name {
            "capability" => device.chip = tenths(value).and_then(Chip::find).ok_or_else(unknown_capability)?,
            "memory" => device.memory_bytes = number(1..=1 << 20)? << 20,
            "multiprocessors" => device.multiprocessors = number(1..=1024)? as u32,
            "time-limit" => device.time_limit = Some(number(1..=u64::MAX)?),
            "driver" if self.devices.is_empty() => {
                let version = tenths(value).filter(|version| (120..140).contains(version));
                let version = version.ok_or("driver must be a CUDA version from 12.0 to 13.9")?;
                self.driver_version = (version / 10 * 1000 + version % 10 * 10) as i32;
                self.ptx_version = ptx_version(version);
            }
            "driver" => return Err("all devices have one driver".into()),
            _ => return Err(format!("there is no property `{name}`")),
        }
        Ok(())
    }
}

/// Returns 75 for `7.5`.
fn tenths(text: &str) -> Option<u32> {
    let (whole, tenth) = text.split_once('.')?;
    let digit = tenth.parse::<u32>().ok().filter(|_| tenth.len() == 1)?;
    whole.parse::<u32>().ok()?.checked_mul(10)?.checked_add(digit)
}

fn unknown_capability() -> String {
    let known = CHIPS.map(|Chip { capability, .. }| format!("{}.{}", capability / 10, capability % 10));
    format!("capability must be one of {}", known.join(", "))
}

/// Returns the newest PTX version that the driver of a CUDA version reads, both times ten: the table of release notes in the
/// PTX ISA. CUDA 12.6 came without a new one.
fn ptx_version(cuda: u32) -> u32 {
    if (126..130).contains(&cuda) { cuda - 41 } else { cuda - 40 }
}
