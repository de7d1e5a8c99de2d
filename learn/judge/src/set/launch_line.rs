//! The launch in a learner's file, if it is part of the exercise: `// launch <<<8, 128, 4 * 128 * sizeof(float)>>>`.

/// The launch that a learner wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchLine {
    /// The number of blocks.
    pub grid: u32,
    /// The number of threads per block.
    pub block: u32,
    /// The dynamic shared memory per block, in bytes.
    pub shared: u32,
}

const BEGIN: &str = "// launch <<<";

impl LaunchLine {
    /// Parses the first launch line of a kernel's text.
    ///
    /// # Errors
    /// There is none, or its parts are not two or three products of whole numbers; the message quotes the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate();
        let found = lines.find_map(|(index, line)| Some((index + 1, line.trim().strip_prefix(BEGIN)?)));
        let (number, rest) =
            found.ok_or_else(|| format!("the line `{BEGIN}grid, block, shared bytes>>>` is missing"))?;
        let inside = rest.split(">>>").next().unwrap_or_default();
        let values = inside.split(',').map(product).collect::<Option<Vec<_>>>();
        match values.as_deref() {
            Some([grid, block]) => Ok(Self { grid: *grid, block: *block, shared: 0 }),
            Some([grid, block, shared]) => Ok(Self { grid: *grid, block: *block, shared: *shared }),
            _ => Err(format!(
                "line {number}: `{BEGIN}{inside}>>>` must have a grid, a block and optionally bytes of shared memory, each a \
                 product of whole numbers and sizeof(float)"
            )),
        }
    }
}

/// Evaluates `4 * 128 * sizeof(float)`.
fn product(text: &str) -> Option<u32> {
    text.split('*').try_fold(1_u32, |product, factor| product.checked_mul(factor_of(factor.trim())?))
}

fn factor_of(text: &str) -> Option<u32> {
    match text {
        "sizeof(float)" | "sizeof(int)" | "size_of::<f32>()" | "size_of::<i32>()" => Some(4),
        "sizeof(double)" | "size_of::<f64>()" => Some(8),
        "sizeof(float4)" | "size_of::<Float4>()" => Some(16),
        _ => text.parse().ok(),
    }
}
