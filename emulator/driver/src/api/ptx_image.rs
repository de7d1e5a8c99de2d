//! Images of modules: which of them are PTX, and which PTX loads.

use crate::device_properties::Chip;
use crate::result::{CUresult, Error, Outcome};
use crate::state::Driver;
use crate::state::device::Device;
use emulator::{LoadError, Module};

/// The first bytes of images with machine code: the ELF header of a cubin, and the header of a fat binary.
const MACHINE_CODE: [&[u8]; 2] = [b"\x7fELF", b"\x50\xed\x55\xba"];

/// The first directive of every PTX text, which only comments precede.
const PTX_MARK: &str = ".version";

/// Returns what follows the spaces and comments at the start of a PTX text.
fn after_comments(text: &str) -> &str {
    let text = text.trim_start();
    let line = text.strip_prefix("//").map(|comment| comment.split_once('\n').map_or("", |(_, rest)| rest));
    let block = || text.strip_prefix("/*").map(|comment| comment.split_once("*/").map_or("", |(_, rest)| rest));
    line.or_else(block).map_or(text, after_comments)
}

/// Returns the image as PTX text. Fails for other formats.
pub(super) fn ptx_text(image: Vec<u8>) -> Outcome<String> {
    if MACHINE_CODE.iter().any(|start| image.starts_with(start)) {
        let detail =
            "the image contains machine code; the emulator runs PTX (compile with --gpu-architecture=compute_XX)";
        return Err(CUresult::NO_BINARY_FOR_GPU.because(detail));
    }
    let foreign =
        || CUresult::INVALID_IMAGE.because(format!("the image is not PTX: it does not begin with {PTX_MARK}"));
    String::from_utf8(image).ok().filter(|text| after_comments(text).starts_with(PTX_MARK)).ok_or_else(foreign)
}

/// The opcodes of PTX 9.0, the part before the first dot.
const OPCODES: &str = "abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev brkpt brx call \
    clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fence fma fns \
    getctarank griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma mov \
    movmatrix mul mul24 multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp \
    set setmaxnreg setp shf shfl shl shr sin slct spec sqrt st stackrestore stacksave stmatrix sub subc suld suq sured sust szext \
    tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 \
    vmax4 vmin vmin2 vmin4 vote vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wgmma wmma xor";

/// The types that are a letter and a number of bits. Those below 8 bits are of matrices; packed values such as `.f16x2` have other
/// words.
const TYPES: &str =
    "b1 b2 b4 b6 b8 b16 b32 b64 b128 u2 u4 u6 u8 u16 u32 u64 s2 s4 s6 s8 s16 s32 s64 f2 f4 f6 f16 f32 f64 f128";

/// Returns whether a word after a dot has the form of a type, and PTX has no such type.
fn is_no_type(word: &str) -> bool {
    let size = word.strip_prefix(['b', 'u', 's', 'f']).unwrap_or_default();
    let has_form = !size.is_empty() && size.bytes().all(|digit| digit.is_ascii_digit());
    has_form && TYPES.split(' ').all(|known| known != word)
}

/// Returns what makes NVIDIA's compiler refuse a kernel that the emulator does not run, if that is a word that is no instruction
/// or type of PTX, or a function without code.
fn mistake(refusal: &LoadError) -> Option<String> {
    let LoadError::Unsupported(text) = refusal else { return None };
    if text.contains("whose code is not in the module") {
        return Some("a function is called that is not defined".into());
    }
    // A line has the form "line 7: `opcode` in `function`".
    let opcode = |line: &str| {
        let mut quoted = line.trim_start().strip_prefix("line ")?.split('`').skip(1);
        let opcode = quoted.next()?.to_owned();
        quoted.next()?.starts_with(" in ").then_some(opcode)
    };
    let is_word = |root: &str| !root.is_empty() && root.chars().all(|letter| letter.is_ascii_alphanumeric());
    text.lines().filter_map(opcode).find_map(|opcode| {
        let mut parts = opcode.split('.');
        let root = parts.next().filter(|root| is_word(root))?;
        let is_known = OPCODES.split(' ').any(|known| known == root);
        let wrong = if is_known { parts.any(is_no_type).then_some(&*opcode) } else { Some(root) };
        wrong.map(|word| format!("`{word}` is not an instruction of PTX"))
    })
}

/// Loads PTX text. Fails if it is for a newer device than this one, or a newer driver, or if it has a [`mistake`]. Kernels with
/// instructions that the emulator lacks do not make it fail.
pub(super) fn load(driver: &Driver, device: &Device, ptx: &str) -> Outcome<Module> {
    let module = Module::load(ptx, &device.memory).map_err(|error| match error {
        LoadError::Memory(error) => Error::from(error),
        error => CUresult::INVALID_PTX.because(error),
    })?;
    let version = module.ptx_version();
    let target = module.target();
    if version > driver.ptx_version {
        let [theirs, ours] = [version, driver.ptx_version].map(|version| format!("{}.{}", version / 10, version % 10));
        let detail = format!("the PTX has version {theirs}; the emulator supports versions up to {ours}");
        return Err(CUresult::UNSUPPORTED_PTX_VERSION.because(detail));
    }
    let Chip { capability, .. } = device.properties.chip;
    let specific = ptx.contains(&format!(".target sm_{target}a"));
    if target > capability || specific && target != capability {
        let only = if specific { "a alone" } else { "" };
        let detail = format!("the PTX is for sm_{target}{only}; the emulated device is sm_{capability}");
        return Err(CUresult::INVALID_PTX.because(detail));
    }
    if let Some((mistake, refusal)) = module.refusals().find_map(|(_, refusal)| Some((mistake(refusal)?, refusal))) {
        return Err(CUresult::INVALID_PTX.because(format!("{mistake}: {refusal}")));
    }
    Ok(module)
}
