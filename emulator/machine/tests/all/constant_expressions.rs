//! Constant expressions, evaluated as the initial values of variables.

use emulator::{LoadError, Memory, Module};
use std::sync::Arc;

/// Returns the bits of a variable of type `.kind` whose initial value is `expression`.
fn value(kind: &str, expression: &str) -> Result<u64, LoadError> {
    let text = format!(".version 8.1\n.target sm_80\n.address_size 64\n.global .{kind} v = {expression};\n");
    let memory = Arc::new(Memory::new(1 << 20));
    let module = Module::load(&text, &memory)?;
    let variable = module.variable("v").unwrap();
    let mut bytes = [0; 8];
    memory.read(variable.address, &mut bytes[..variable.bytes as usize]).unwrap();
    Ok(u64::from_le_bytes(bytes))
}

#[test]
fn expressions_have_the_precedence_of_c() {
    for (text, expected) in [
        ("123 + 123", 246),
        ("2 + 3 * 4 - 1", 13),
        ("(2 + 3) * 4", 20),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("1 << 4 | 3", 19),
        ("1 << 2 + 2", 16),
        ("6 & 3 == 3", 0),
        ("6 ^ 3 & 1", 7),
        ("~0", -1),
        ("!5 + !0", 1),
        ("- -3", 3),
        ("-8 >> 1", -4),
        ("1 << 64", 0),
        ("0xFFFFFFFFFFFFFFFF / 2", i64::MAX),
        ("-1 > 0U", 1),
        ("-1 > 0", 0),
        ("(.u64)-1 > 0", 1),
        ("(.s64)0xFFFFFFFFFFFFFFFF < 0", 1),
        ("3 <= 3 && 2 != 3 || 0", 1),
        ("1 ? 10 : 20", 10),
        ("0 ? 10 : 1 ? 30 : 40", 30),
        ("2 * (0 ? 1 : 3)", 6),
        ("1.5 < 2.0", 1),
    ] {
        assert_eq!(value("u64", text).unwrap(), expected as u64, "{text}");
    }
    assert_eq!(value("f64", "1.5 * 2.0 + 1.0").unwrap(), 4.0_f64.to_bits());
    assert_eq!(value("f32", "0f3F800000").unwrap(), 0x3F80_0000);
}

#[test]
fn expressions_without_a_value_are_refused() {
    for text in
        ["1 / 0", "1 % 0", "1 +", "(1", "1 ? 2", "~1.5", "1 + 1.5", "0f3F800000 + 1", "1 2", "", &"-".repeat(100_000)]
    {
        // A variable of type .f32 takes a constant of any type, so that only the expression can be wrong.
        let refused = matches!(value("f32", text), Err(LoadError::Syntax { line: 4, .. }));
        assert!(refused, "{}", &text[..text.len().min(20)]);
    }
}
