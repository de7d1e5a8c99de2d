//! Estimates from machine code: what decoding keeps, which way serves, and warps that cannot be followed.

use crate::support::{Argument, kernel, scene};
use predict::{Estimate, H200, MachineCode, Refusal, Way, predict};

/// A loop of 1000 turns around four dependent multiply-adds, each four cycles after the one before.
const LOOP: &str = "\
.kernel k 24
1s0 S2R R1,SR_TID.X
1 IMAD.MOV.U32 R2,RZ,RZ,RZ
L0:
4x 4p11 FFMA
4 IADD3 R2,R2,0x1,RZ
4 ISETP.LT.U32.AND P0,PT,R2,0x3e8,PT
4 @P0 BRA L0
4w01 IMAD.WIDE.U32 R4,R1,0x4,RZ
1 EXIT
";

fn estimate(listing: &str) -> Result<Estimate, Refusal> {
    let code = MachineCode::parse(listing).expect("a listing");
    let scene = scene(&kernel(""), "k", (132, 32), 1 << 20, &[Argument::Pointer(0)]);
    predict(&H200, &scene, Some(&code))
}

/// `FADD R4, R5.reuse, R6` and a move of two halves, with the words of ptxas 13.0.
const DISASSEMBLY: &str = "\
\t.section\t.text.k,\"ax\",@progbits
k:
.text.k:
        /*0070*/                   HFMA2.MMA R25, -RZ, RZ, 0, 0 ;       /* 0x00000000ff197435 */
                                                                        /* 0x000fe200000001ff */
        /*00a0*/                   ISETP.GE.AND P0, PT, R2.reuse, 0x1, PT ;  /* 0x000000010200780c */
                                                                        /* 0x040fe40003f06270 */
        /*0120*/              @!P0 BRA `(.L_x_0) ;                      /* 0x0000000400ec8947 */
                                                                        /* 0x000fec0003800000 */
        /*0130*/                   LDG.E.CONSTANT R22, desc[UR10][R4.64] ;  /* 0x0000000a04167981 */
                                                                        /* 0x000168000c1e9900 */
.L_x_0:
        /*0140*/                   EXIT ;                               /* 0x000000000000794d */
                                                                        /* 0x000fea0003800000 */
.L_x_1:
        /*0150*/                   BRA `(.L_x_1);                       /* 0xfffffffc00fc7947 */
                                                                        /* 0x000fc0000383ffff */
        /*0160*/                   NOP;                                 /* 0x0000000000007918 */
                                                                        /* 0x000fc00000000000 */
";

const MESSAGES: &str = "ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Used 32 registers\n";

#[test]
fn control_words_operands_and_labels_are_decoded() {
    let code = MachineCode::decode(DISASSEMBLY, MESSAGES).expect("a kernel");
    let expected = "\
.kernel k 32
1 HFMA2.MOV
2p10 ISETP.GE.AND P0,PT,R2,0x1,PT
6 @!P0 BRA L0
4s5r0p11 LDG.E.CONSTANT R22,[R4.64]
L0:
5 EXIT
";
    assert_eq!(code.listing(|_| true), expected);
    assert_eq!(MachineCode::parse(expected), Ok(code.clone()));
    assert_eq!(code.listing(|name| name == "other"), "");
}

#[test]
fn text_that_is_no_listing_is_refused_with_its_line() {
    assert_eq!(MachineCode::decode("", "").unwrap_err(), "the disassembly has no kernel");
    assert!(MachineCode::decode(DISASSEMBLY, "").unwrap_err().contains("no registers of k"));
    for wrong in ["4 FFMA", ".kernel k", ".kernel k 1\n4q FFMA", ".kernel k 1\n0x 4 FFMA", ".kernel k 1\nz FFMA"] {
        let last = wrong.lines().last().unwrap();
        assert!(MachineCode::parse(wrong).unwrap_err().contains(last), "{wrong}");
    }
}

/// Four cycles for each multiply-add, sum and comparison, and eight for the branch back.
#[test]
fn stall_counts_take_their_cycles() {
    let estimate = estimate(LOOP).expect("an estimate");
    assert_eq!((estimate.way, estimate.fallback), (Way::MachineCode, None));
    assert!((32_000..32_400).contains(&estimate.cycles), "{} cycles", estimate.cycles);
}

#[test]
fn a_scoreboard_waits_for_a_load() {
    let load = "4w01 LDS R3,[R2]\n";
    let cycles = |control: &str| {
        let replaced = LOOP.replace("4x 4p11 FFMA\n", &format!("{}{control}", load.replace("4w01", "1s1")));
        estimate(&replaced).expect("an estimate").cycles
    };
    let waits = cycles("1w02 FFMA\n");
    let goes_on = cycles("1 FFMA\n");
    assert!(waits > goes_on + 20_000, "{waits} and {goes_on} cycles");
}

#[test]
fn warps_that_depend_on_memory_are_estimated_from_the_ptx() {
    let ptx = estimate(&LOOP.replace("R2,R2,0x1,RZ", "R2,R2,R9,RZ").replace("L0:\n", "4 LDS R9,[R1]\nL0:\n")).unwrap();
    assert_eq!(ptx.way, Way::Ptx);
    assert!(ptx.fallback.is_some_and(|reason| reason.contains("guard of `BRA` depends on memory")));
    let missing = estimate(&LOOP.replace(".kernel k", ".kernel other")).unwrap();
    assert_eq!(missing.fallback.as_deref(), Some("it has no kernel k"));
}

#[test]
fn machine_code_that_is_not_modeled_is_refused() {
    let refusal = estimate(&LOOP.replace("FFMA", "DMMA")).unwrap_err();
    assert_eq!(refusal.to_string(), "`DMMA` is not modeled");
}
