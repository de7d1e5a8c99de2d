//! The launch in a learner's file, where it is part of the exercise: `// launch <<<8, 128, 4 * 128 * sizeof(float)>>>`.

/// Grid, block and dynamic shared memory in bytes, as a learner wrote them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchLine {
    /// Blocks.
    pub grid: u32,
    /// Threads of a block.
    pub block: u32,
    /// Dynamic shared memory of a block in bytes.
    pub shared: u32,
}

const BEGIN: &str = "// launch <<<";

impl LaunchLine {
    /// That of a text.
    ///
    /// # Errors
    /// There is none, or it is not three products of whole numbers; the text says so.
    pub fn of(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate();
        let found = lines.find_map(|(index, line)| Some((index + 1, line.trim().strip_prefix(BEGIN)?)));
        let (number, rest) = found.ok_or_else(|| format!("there is no line `{BEGIN}grid, block, shared bytes>>>`"))?;
        let inside = rest.split(">>>").next().unwrap_or_default();
        let values = inside.split(',').map(product).collect::<Option<Vec<_>>>();
        match values.as_deref() {
            Some([grid, block]) => Ok(Self { grid: *grid, block: *block, shared: 0 }),
            Some([grid, block, shared]) => Ok(Self { grid: *grid, block: *block, shared: *shared }),
            _ => Err(format!(
                "line {number}: `{BEGIN}{inside}>>>` is not grid, block and bytes, each a product of whole numbers and \
                 sizeof(float)"
            )),
        }
    }
}

/// `4 * 128 * sizeof(float)`
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_computed() {
        let line = LaunchLine::of("x\n  // launch <<<8, 2 * 64, 4 * 128 * sizeof(float)>>> on the host\n");
        assert_eq!(line, Ok(LaunchLine { grid: 8, block: 128, shared: 2048 }));
        assert_eq!(LaunchLine::of("// launch <<<8, 128>>>"), Ok(LaunchLine { grid: 8, block: 128, shared: 0 }));
    }

    #[test]
    fn what_is_no_launch_is_told_with_its_line() {
        assert!(LaunchLine::of("").unwrap_err().starts_with("there is no line `// launch <<<grid"));
        for line in [
            "// launch <<<8, n, 0>>>",
            "// launch <<<8>>>",
            "// launch <<<-1, 1>>>",
            "// launch <<<65536 * 65536, 1>>>",
        ] {
            assert!(LaunchLine::of(line).unwrap_err().starts_with("line 1: "), "{line}");
        }
    }
}
