//! Four floats that move as one.

/// Four floats, aligned to 16 bytes: CUDA's `float4`. Read or written whole, one access of 16 bytes, PTX's `ld.v4.f32` and
/// `st.v4.f32`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Float4 {
    /// The first.
    pub x: f32,
    /// The second.
    pub y: f32,
    /// The third.
    pub z: f32,
    /// The fourth.
    pub w: f32,
}

impl Float4 {
    /// Of its parts.
    #[inline(always)]
    #[must_use]
    pub const fn new(x: f32, y: f32, z: f32, w: f32) -> Self {
        Self { x, y, z, w }
    }
}
