//! Tables of instructions that process each lane independently.

/// Defines a family of instructions: the name, PTX spelling, class and equation of each, and its function of one lane.
///
/// The types of the function's arguments and result determine the register files of the operands. The constant `FMA` is in
/// scope: whether the processor has a fused multiply-add instruction.
macro_rules! instruction_family {
    ($(#[$doc:meta])* $family:ident {
        $($variant:ident $pattern:literal $class:ident, $equation:literal,
          ($($name:ident: $type:ty),+) -> $result:ty $body:block)+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $family {
            $(#[doc = $equation] $variant,)+
        }

        impl $family {
            /// The rows of the table.
            pub(crate) const FORMS: &[$crate::isa::form::Form<Self>] = &[$($crate::isa::form::Form::row(
                $pattern,
                $crate::isa::class::Class::$class,
                $equation,
                &[<$result as $crate::vector::apply::Lane>::KIND],
                &[$(<$type as $crate::vector::apply::Lane>::KIND),+],
                |_| Self::$variant,
            )),+];

            /// Returns the function that executes the instruction on this processor.
            pub(crate) fn handler(self, simd: $crate::vector::simd::Simd) -> $crate::vector::apply::Handler {
                use $crate::isa::family::apply;
                match self {
                    $(Self::$variant => match simd {
                        #[cfg(target_arch = "x86_64")]
                        $crate::vector::simd::Simd::Avx2Fma(avx2) => Box::new(
                            move |places: &_, registers: &mut _, warps: &[u8]| {
                                avx2.run(
                                    #[inline(always)]
                                    || {
                                        #[allow(dead_code)]
                                        const FMA: bool = true;
                                        apply!(registers, warps, places, |$($name: $type),+| -> $result $body);
                                    },
                                )
                            },
                        ),
                        $crate::vector::simd::Simd::Baseline => {
                            Box::new(|places: &_, registers: &mut _, warps: &[u8]| {
                                #[allow(dead_code)]
                                const FMA: bool = cfg!(target_arch = "aarch64");
                                apply!(registers, warps, places, |$($name: $type),+| -> $result $body);
                            })
                        }
                    },)+
                }
            }
        }
    };
}

/// Calls the lane loop with the function's number of arguments.
macro_rules! apply {
    ($r:ident, $w:ident, $p:ident, |$a:ident: $ta:ty| -> $result:ty $body:block) => {
        $crate::vector::apply::apply1(
            $r,
            $w,
            $p,
            #[inline(always)]
            |$a: $ta| -> $result { $body },
        )
    };
    ($r:ident, $w:ident, $p:ident, |$a:ident: $ta:ty, $b:ident: $tb:ty| -> $result:ty $body:block) => {
        $crate::vector::apply::apply2(
            $r,
            $w,
            $p,
            #[inline(always)]
            |$a: $ta, $b: $tb| -> $result { $body },
        )
    };
    ($r:ident, $w:ident, $p:ident, |$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty| -> $result:ty $body:block) => {
        $crate::vector::apply::apply3(
            $r,
            $w,
            $p,
            #[inline(always)]
            |$a: $ta, $b: $tb, $c: $tc| -> $result { $body },
        )
    };
    ($r:ident, $w:ident, $p:ident,
     |$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty, $d:ident: $td:ty| -> $result:ty $body:block) => {
        $crate::vector::apply::apply4(
            $r,
            $w,
            $p,
            #[inline(always)]
            |$a: $ta, $b: $tb, $c: $tc, $d: $td| -> $result { $body },
        )
    };
}

pub(crate) use {apply, instruction_family};
