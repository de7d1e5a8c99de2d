//! Reads of textures on an NVIDIA GPU: `hardware/texture_reads.txt`.

use emulator::{AddressMode, Arrangement, Channel, TextureDescriptor};

/// The threads of a read.
const THREADS: usize = 32;

/// The colors of the border.
const BORDERS: [[u32; 4]; 4] = [
    [0x4110_0000, 0x4100_0000, 0x40E0_0000, 0x40C0_0000],
    [0x0102_0384, 5, 0xFFFF_FFFB, 300],
    [0x3E80_0000, 0xBF00_0000, 0x5015_02F9, 0xC040_0000],
    [0x4396_0000, 0x4788_B800, 0xBF80_0000, 0x4020_0000],
];

/// A read of a texture by each thread of a warp.
pub struct Read {
    pub opcode: String,
    /// The type of the channels.
    pub channel: Channel,
    /// The number of channels.
    pub channels: u32,
    /// The address mode, 4 for linear filtering, 8 for normalized coordinates, 16 for integers that are read as such. The higher bits
    /// are the color of the border.
    pub case: usize,
    /// The first channel in each thread.
    pub values: Vec<u32>,
}

/// Returns the recorded reads.
pub fn recording() -> Vec<Read> {
    let text = std::fs::read_to_string(super::folder("hardware").join("texture_reads.txt")).unwrap();
    text.lines().filter(|line| !line.starts_with('#')).map(parsed).collect()
}

fn parsed(line: &str) -> Read {
    let (name, words) = line.split_once(": ").unwrap();
    let [opcode, channel, channels, case] = name.split(' ').collect::<Vec<_>>().try_into().unwrap();
    let words: Vec<u32> = words.split(' ').map(|word| u32::from_str_radix(word, 16).unwrap()).collect();
    let channel = match channel {
        "f32" => Channel::Single,
        "f16" => Channel::Half,
        "u8" => Channel::Unsigned8,
        "s8" => Channel::Signed8,
        "u16" => Channel::Unsigned16,
        "s16" => Channel::Signed16,
        "u32" => Channel::Unsigned32,
        _ => Channel::Signed32,
    };
    Read {
        opcode: opcode.to_owned(),
        channel,
        channels: channels.parse().unwrap(),
        case: case.parse().unwrap(),
        values: words,
    }
}

impl Read {
    /// Returns whether values are interpolated along several axes, which is not exact.
    pub fn is_interpolated(&self) -> bool {
        self.case & 4 != 0
    }

    /// Returns the texture at an address.
    pub fn texture(&self, address: u64) -> TextureDescriptor {
        let (arrangement, sizes) = match self.opcode.split('.').nth(1) {
            Some("1d") => (Arrangement::Row, [5, 1, 1]),
            Some("2d") => (Arrangement::Plane, [5, 4, 1]),
            _ => (Arrangement::Volume, [5, 4, 3]),
        };
        let modes = [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];
        let row = u64::from(sizes[0]) * self.channel.bytes() * u64::from(self.channels);
        TextureDescriptor {
            address,
            channel: self.channel,
            channels: self.channels,
            arrangement,
            sizes,
            pitches: [row, row * u64::from(sizes[1])],
            modes: [modes[self.case & 3]; 3],
            linear: self.case & 4 != 0,
            normalized_coordinates: self.case & 8 != 0,
            normalized_values: self.case & 16 == 0,
            border: BORDERS[self.case >> 5].map(f32::from_bits),
        }
    }

    /// Returns the bytes of its elements.
    pub fn elements(&self) -> Vec<u8> {
        let sizes = self.texture(0).sizes;
        let numbers = (0..sizes.iter().product::<u32>() * self.channels).map(|index| index * 37 % 101);
        let bytes = |number: u32| match self.channel {
            Channel::Single => ((number as f32 - 50.0) + 0.3_f32).to_le_bytes().to_vec(),
            Channel::Unsigned32 | Channel::Signed32 => number.to_le_bytes().to_vec(),
            Channel::Unsigned8 | Channel::Signed8 => vec![2 * number as u8],
            _ => (200 * number as u16).to_le_bytes().to_vec(),
        };
        numbers.flat_map(bytes).collect()
    }

    /// Returns the registers with the coordinates of each thread.
    pub fn coordinates(&self) -> Vec<[u32; 4]> {
        let registers = |thread: usize| {
            let [x, y, z] = self
                .place(thread)
                .map(|part| if self.opcode.ends_with(".s32") { part.floor() as i32 as u32 } else { part.to_bits() });
            [x, y, z, 0]
        };
        (0..THREADS).map(registers).collect()
    }

    fn place(&self, thread: usize) -> [f32; 3] {
        let line = |step: f32, first: f32| (thread as f32).mul_add(step, first);
        match self.case & 8 {
            0 => [line(0.1531, -1.7), line(0.113, -0.97), line(0.071, -0.4)],
            _ => [line(0.0517, -0.9), line(0.0413, -0.6), line(0.071, -0.2)],
        }
    }
}
