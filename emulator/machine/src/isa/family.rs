//! Tables of instructions that process each lane independently.

/// Defines a family of instructions: the name, PTX spelling, class and equation of each, and its function of one lane.
///
/// The types of the function's arguments and result determine the register files of the operands. The constant `FMA` is in
/// scope: whether the processor has a fused multiply-add instruction.
///
/// `each` behind the class marks instructions that are rare, or whose function takes longer than its call. They have no lane
/// loop of their own, and no `FMA`: 300 loops are a fifth of the time to compile this crate.
macro_rules! instruction_family {
    ($(#[$doc:meta])* $family:ident {
        $($variant:ident $pattern:literal $class:ident $($each:ident)?, $equation:literal,
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
                match self {
                    $(Self::$variant => {
                        $crate::isa::family::handler!(simd, [$($each)?] |$($name: $type),+| -> $result $body)
                    })+
                }
            }
        }
    };
}

/// Returns the handler of an instruction: with a lane loop of its own, or one that calls the function for each lane.
macro_rules! handler {
    ($simd:ident, [each] |$($name:ident: $type:ty),+| -> $result:ty $body:block) => {{
        let _ = $simd;
        Box::new($crate::isa::family::each!(|$($name: $type),+| -> $result $body))
    }};
    ($simd:ident, [] |$($name:ident: $type:ty),+| -> $result:ty $body:block) => {
        match $simd {
            #[cfg(target_arch = "x86_64")]
            $crate::vector::simd::Simd::Avx2Fma(avx2) => {
                #[allow(dead_code)]
                const FMA: bool = true;
                Box::new($crate::vector::apply::Own {
                    lane_loop: move |places: &_, registers: &mut _, warps: &[u8]| {
                        avx2.run(
                            #[inline(always)]
                            || {
                                $crate::isa::family::apply!(
                                    registers, warps, places, |$($name: $type),+| -> $result $body
                                );
                            },
                        )
                    },
                    each: $crate::isa::family::each!(|$($name: $type),+| -> $result $body),
                })
            }
            #[cfg(target_arch = "x86_64")]
            $crate::vector::simd::Simd::Baseline => {
                // These processors were built before 2013, or are emulated. A second loop for them would double the time to
                // compile the loops.
                #[allow(dead_code)]
                const FMA: bool = false;
                Box::new($crate::isa::family::each!(|$($name: $type),+| -> $result $body))
            }
            #[cfg(not(target_arch = "x86_64"))]
            $crate::vector::simd::Simd::Baseline => {
                #[allow(dead_code)]
                const FMA: bool = cfg!(target_arch = "aarch64");
                Box::new($crate::vector::apply::Own {
                    lane_loop: |places: &_, registers: &mut _, warps: &[u8]| {
                        $crate::isa::family::apply!(registers, warps, places, |$($name: $type),+| -> $result $body);
                    },
                    each: $crate::isa::family::each!(|$($name: $type),+| -> $result $body),
                })
            }
        }
    };
}

/// Returns the function of one lane. It is not compiled for the vector instructions: with `FMA`, it calls the one of the system.
macro_rules! each {
    (|$($name:ident: $type:ty),+| -> $result:ty $body:block) => {
        $crate::vector::apply::Each((|$($name: $type),+| -> $result { $body }) as fn($($type),+) -> $result)
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

pub(crate) use {apply, each, handler, instruction_family};
