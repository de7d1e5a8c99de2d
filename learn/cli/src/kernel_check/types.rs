//! The types of arguments compared with those that the source declares: a wrong one of the same size is passed all the same.

use cuda_cpp::source::Parameter;
use judge::kernel_file::Argument;

/// Returns a line for each argument whose type is not that of its parameter. Signs are not compared.
pub fn differences(parameters: &[Parameter], arguments: &[Argument]) -> Vec<String> {
    let both = parameters.iter().zip(arguments).enumerate();
    both.filter_map(|(index, (parameter, argument))| {
        let number = index + 1;
        let Parameter { declared, element, .. } = parameter;
        let given = signed(argument.element_name());
        match (argument, parameter.is_pointer) {
            (Argument::Buffer(buffer), false) => element.map(|_| {
                format!("argument {number}, {}, is a buffer, and the parameter is `{declared}`", buffer.shown)
            }),
            (Argument::Buffer(buffer), true) => element.filter(|element| *element != given).map(|element| {
                let expected = format!("{element}[{}]", buffer.count);
                format!("argument {number} is {}, and the parameter is `{declared}`: {expected} fits", buffer.shown)
            }),
            (Argument::Value { .. }, false) => element.filter(|element| *element != given).map(|element| {
                format!(
                    "argument {number} is of type {}, and the parameter is `{declared}`: {element}=VALUE fits",
                    argument.element_name()
                )
            }),
            (Argument::Structure(_), true) => {
                Some(format!("argument {number} is a structure, and the parameter is `{declared}`"))
            }
            (Argument::Structure(_) | Argument::Address(_), false) => element.map(|element| {
                format!("argument {number} is no number, and the parameter is `{declared}`: {element}=VALUE fits")
            }),
            // An address, or a null pointer.
            (Argument::Value { .. } | Argument::Address(_), true) => None,
        }
    })
    .collect()
}

/// Returns the name of the type with a sign: `i32` of `u32`.
fn signed(name: &str) -> String {
    name.replace('u', "i")
}
