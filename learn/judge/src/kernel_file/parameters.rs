//! The parameter block of a launch.

/// Returns the parameter block of the kernel `name`, with `values` at `places`, each an offset and a size in bytes.
///
/// # Errors
/// The arguments differ from the parameters in number or size; the message lists both.
pub fn parameter_block(name: &str, places: &[(usize, usize)], values: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    let sizes = |list: &mut dyn Iterator<Item = usize>| {
        let sizes: Vec<String> = list.map(|bytes| bytes.to_string()).collect();
        if sizes.is_empty() { "none".to_owned() } else { format!("{} ({} bytes)", sizes.len(), sizes.join(", ")) }
    };
    if !places.iter().map(|place| place.1).eq(values.iter().map(Vec::len)) {
        let mut pairs = places.iter().zip(values).enumerate().filter(|_| places.len() == values.len());
        let differing = pairs.find(|(_, (place, value))| place.1 != value.len()).map(|(index, (place, value))| {
            format!(" Argument {} has {} bytes, and its parameter {}.", index + 1, value.len(), place.1)
        });
        return Err(format!(
            "`{name}` takes these parameters: {}; these arguments are given: {}.{} A pointer has 8 bytes: \
             --arg f32[1024] allocates a buffer and passes its address. The members of a structure, as \
             --arg {{i32=8,f32[64]}}, are aligned as in C",
            sizes(&mut places.iter().map(|place| place.1)),
            sizes(&mut values.iter().map(Vec::len)),
            differing.unwrap_or_default(),
        ));
    }
    let mut block = vec![0; places.last().map_or(0, |(offset, bytes)| offset + bytes)];
    for ((offset, bytes), value) in places.iter().zip(values) {
        block[*offset..offset + bytes].copy_from_slice(value);
    }
    Ok(block)
}
