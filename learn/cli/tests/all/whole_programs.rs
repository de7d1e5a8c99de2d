//! Programs as others have written them: `cargo learn check` leaves out what the kernel does not need, and says how to bring what
//! is missing.

use cuda_cpp::Choice;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A program's files, with the kernel's file first, and the options of a check of its kernel.
type Program<'a> = (&'a [(&'a str, &'a str)], &'a str);

/// Checks a program with a compiler, and returns exit status, output and error output; none without the compiler. The toolkit's
/// headers are those in the folder `cache`, or the machine's.
fn check(
    (files, options): Program<'_>,
    compiler: Choice,
    cache: Option<&Path>,
) -> Option<(Option<i32>, String, String)> {
    if let Err(missing) = cuda_cpp::Compiler::find(Some(compiler)) {
        crate::skip(&missing.to_string());
        return None;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_learn"));
    command.current_dir(folder.path()).args([
        "check",
        files[0].0,
        "--compiler",
        &compiler.to_string(),
        "--no-estimate",
    ]);
    cache.map(|cache| command.env("XDG_CACHE_HOME", cache).env("CUDA_PATH", cache));
    let output = command.args(options.split_whitespace()).output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Some((output.status.code(), text(output.stdout), text(output.stderr)))
}

/// Asserts that the kernel is clean with both compilers, and that its first argument, where it is printed, begins so.
fn assert_clean(files: &[(&str, &str)], options: &str, printed: &str) {
    for compiler in [Choice::Nvrtc, Choice::Clang] {
        let Some((status, said, errors)) = check((files, options), compiler, None) else { return };
        assert_eq!(status, Some(0), "{compiler}: {said}{errors}");
        assert!(said.contains(printed), "{compiler}: {said}");
    }
}

#[test]
fn types_of_the_host_are_left_out() {
    let program = "#include <getopt.h>\n#include <pthread.h>\n#include <vector>\nstruct Options {\n    int n;\n\
        Options(int argc, char** argv) : n(0) { n = getopt(argc, argv, \"n:\"); }\n};\ntypedef pthread_t Worker;\n\
        typedef std::vector<std::pair<int, float>> Edges;\nFILE* out = stdout;\nusing Clock = std::chrono::steady_clock;\n\
        class Runner { std::vector<float> v; public: Runner() { } };\ntemplate <typename T> void run(std::vector<T>&) { }\n\
        template void run<float>(std::vector<float>&);\n__global__ void k(float* x) { x[threadIdx.x] = 1; }\n\
        int main(int argc, char** argv) { Options o(argc, argv); Runner r; return o.n; }\n";
    assert_clean(&[("k.cu", program)], "--kernel k --grid 1 --block 32 --arg f32[32]", "struct Options (line 4)");
}

#[test]
fn constants_that_a_kernel_uses_are_computed() {
    let program = "#ifdef USE_DP\ntypedef double real;\n#else\ntypedef float real;\n#endif\nconst real cutoff = 1.5;\n\
        const real square = cutoff * cutoff;\nconst double of_host = atan(1.0) * atoi(\"3\");\n\
        __global__ void k(real* x) { x[threadIdx.x] = square; }\n";
    assert_clean(&[("k.cu", program)], "--kernel k --grid 1 --block 2 --arg f32[2] --print 1", "f32[2]: 2.25 2.25\n");
    let options = "--kernel k --grid 1 --block 2 --arg f64[2] --print 1 -D USE_DP";
    assert_clean(&[("k.cu", program)], options, "f64[2]: 2.25 2.25\n");
}

/// The size of the class is that of its data, whatever is left out.
#[test]
fn member_functions_of_the_host_are_left_out_of_a_type_that_is_needed() {
    let program = "#include <string>\n#include <stdexcept>\nclass Matrix {\n    float* data;\n    int rows, columns;\npublic:\n    \
        Matrix(int r, int c) : rows{r}, columns(c) { if (cudaMalloc(&data, r * c)) throw std::runtime_error(\"full\"); }\n    \
        ~Matrix() { cudaFree(data); }\n    void save(const std::string& name) const;\n    void (*done)(int);\n    \
        friend std::ostream& operator<<(std::ostream& out, const Matrix& m) { return out; }\n    \
        __host__ __device__ int size() const { return rows * columns; }\n};\n\
        void Matrix::save(const std::string& name) const { fopen(name.c_str(), \"w\"); }\n\
        __device__ int size_of(const Matrix& m) { return m.size(); }\n\
        __global__ void k(int* x) { x[threadIdx.x] = sizeof(Matrix); }\n";
    assert_clean(&[("k.cu", program)], "--kernel k --grid 1 --block 2 --arg i32[2] --print 1", "i32[2]: 24 24\n");
}

#[test]
fn headers_beside_the_file_lose_what_the_kernel_does_not_need() {
    let header = "#pragma once\n#include <boost/any.hpp>\n#include \"types.h\"\n#define BOTH __host__ __device__\n\
        struct Bitmap { boost::any pixels; Bitmap() { glutInit(); } };\nBOTH inline number twice(number x) { return x + x; }\n\
        static void handle(cudaError_t error) { if (error != cudaSuccess) exit(1); }\n#define HANDLE(error) (handle(error))\n";
    let program = "#include \"common/book.h\"\n#include <helper.cuh>\n#include \"utils.h\"\nBOTH number more(number x) { return twice(x) + 1; }\n\
        __global__ void k(number* x) { x[threadIdx.x] = more(threadIdx.x) + helper(); }\nint main() { Bitmap b; HANDLE(cudaFree(0)); }\n";
    let files = [
        ("k.cu", program),
        ("common/book.h", header),
        ("common/types.h", "#include \"book.h\"\ntypedef float number;\n"),
        ("helper.cuh", "__device__ inline int helper() { return 10; }\n"),
    ];
    assert_clean(&files, "--kernel k --grid 1 --block 3 --arg f32[3] --print 1", "f32[3]: 11 13 15\n");
}

/// The kernels beside the one that is named may need what does not exist any more.
#[test]
fn other_kernels_are_left_out_if_they_do_not_compile() {
    let program = "texture<float, 1, cudaReadModeElementType> image;\n\
        __global__ void of_image(float* x) { x[threadIdx.x] = tex1Dfetch(image, threadIdx.x); }\n\
        struct Sum { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };\n\
        template <typename T, class F = Sum> __global__ void k(T* x) { x[threadIdx.x] = F()(T(1), T(2)); }\n";
    let files = [("k.cu", program)];
    assert_clean(&files, "--kernel k<float> --grid 1 --block 2 --arg f32[2] --print 1", "f32[2]: 3 3\n");
    let options = "--kernel of_image --grid 1 --block 2 --arg f32[2]";
    let Some((status, said, errors)) = check((&files, options), Choice::Nvrtc, None) else { return };
    assert_eq!((status, said.as_str()), (Some(2), ""));
    assert!(
        errors.starts_with("error: k.cu does not compile with NVRTC ") && errors.contains("cudaTextureObject_t"),
        "{errors}"
    );
    let ptx =
        "nvcc may compile it where it is installed: `nvcc -ptx -lineinfo k.cu`, and then `cargo learn check k.ptx …`\n";
    assert!(errors.ends_with(ptx), "{errors}");
}

#[test]
fn a_kernel_under_a_condition_is_told_from_one_that_is_absent() {
    let program = "#ifdef TILE\n__global__ void k(float* x) { x[threadIdx.x] = TILE; }\n#endif\n";
    let files = [("k.cu", program)];
    let options = "--kernel k --grid 1 --block 2 --arg f32[2] --print 1";
    assert_clean(&files, &format!("{options} -DTILE=16"), "f32[2]: 16 16\n");
    assert_clean(&files, &format!("{options} --define TILE"), "f32[2]: 1 1\n");
    let Some((status, _, errors)) = check((&files, options), Choice::Nvrtc, None) else { return };
    let expected = "error: `k` is left out by `#ifdef TILE` (line 1) of k.cu: --define NAME or --define NAME=VALUE defines a macro\n";
    assert_eq!((status, errors.as_str()), (Some(2), expected));
    let (_, _, errors) = check((&files, &format!("{options} -D 3=4")), Choice::Nvrtc, None).expect("as before");
    assert!(errors.contains("a macro is defined as NAME or NAME=VALUE"), "{errors}");
}

#[test]
fn programs_older_than_the_language_compile() {
    let program = "#include <opencv2/opencv.hpp>\n#include <driver_functions.h>\nusing namespace cv;\nusing namespace std;\n__global__ void k(float* x) {\n    \
        register int i = threadIdx.x;\n    x[i] = i;\n}\nint main() { Mat image = imread(\"a.png\"); }\n";
    let options = "--kernel k --grid 1 --block 2 --arg f32[2] --print 1";
    assert_clean(&[("k.cu", program)], options, "f32[2]: 0 1\n");
}

#[test]
fn numbers_of_cufft_are_known() {
    let program = "#include <cufft.h>\n#include <cufftXt.h>\n__global__ void k(const cufftComplex* x, cufftReal* y) {\n    \
        y[threadIdx.x] = x[threadIdx.x].y;\n}\nint main() { cufftHandle plan; cufftPlan1d(&plan, 2, CUFFT_C2R, 1); }\n";
    let options = "--kernel k --grid 1 --block 2 --arg f32[4]=index --arg f32[2] --print 2";
    assert_clean(&[("k.cu", program)], options, "f32[2]: 1 3\n");
}

#[test]
fn what_the_file_lacks_is_named_where_it_does_not_compile() {
    let program = "#include \"kernels/tile.h\"\n#include <cooperative_groups.h>\n__global__ void k(float* x) {\n    \
        cooperative_groups::grid_group grid = cooperative_groups::this_grid();\n    x[0] = TILE;\n}\n";
    let options = "--kernel k --grid 1 --block 1 --arg f32[1]";
    for compiler in [Choice::Nvrtc, Choice::Clang] {
        let Some((status, _, errors)) = check((&[("k.cu", program)], options), compiler, None) else { return };
        assert_eq!(status, Some(2), "{errors}");
        let line = "\nnot found beside the file: kernels/tile.h; --include FOLDER names the folder that has them\n";
        assert!(errors.contains(line), "{compiler}: {errors}");
        let line = "\nmissing for clang, at least in part: cooperative_groups.h; NVRTC reads the toolkit's, which ";
        assert_eq!(errors.contains(line), compiler == Choice::Clang, "{errors}");
    }
}

/// The checks cannot see it: the compiler puts any value there.
#[test]
fn a_variable_without_a_value_is_told() {
    let program = "__global__ void k(float* x) {\n    int i;\n    x[i & 1] = 1;\n}\n";
    let options = "--kernel k --grid 1 --block 1 --arg f32[2]";
    for (compiler, words) in
        [(Choice::Nvrtc, "is used before its value is set"), (Choice::Clang, "is uninitialized when used here")]
    {
        let Some((status, _, errors)) = check((&[("k.cu", program)], options), compiler, None) else { return };
        assert_eq!(status, Some(0), "{errors}");
        assert!(errors.starts_with("warning: k.cu:3: variable ") && errors.contains(words), "{compiler}: {errors}");
    }
}

#[test]
fn a_kernel_of_an_own_header_has_the_names_of_its_parameters() {
    let files = [
        ("main.cu", "#include \"kernels/all.h\"\nint main() { }\n"),
        ("kernels/all.h", "#include \"one.cu\"\n"),
        ("kernels/one.cu", "__global__ void k(float* in, float* out) { out[threadIdx.x + 1] = in[threadIdx.x]; }\n"),
    ];
    let options = "--kernel k --grid 1 --block 2 --arg f32[2]=1 --arg f32[2]";
    let Some((status, said, errors)) = check((&files, options), Choice::Nvrtc, None) else { return };
    let element = "\n  element 2 of argument 2 `out`, which has 2 elements (f32[2])\n";
    assert!(status == Some(1) && said.ends_with(element), "{said}{errors}");
}

#[test]
fn a_refused_kernel_has_its_written_name() {
    let program = "__global__ void k(float* x) { asm(\"bfind.nothing;\"); x[0] = 1; }\n";
    let options = "--kernel k --grid 1 --block 1 --arg f32[1]";
    let Some((status, _, errors)) = check((&[("k.cu", program)], options), Choice::Nvrtc, None) else { return };
    assert!(status == Some(2) && errors.ends_with(": `bfind.nothing` in `k`\n"), "{errors}");
}

/// Headers of the toolkit are not the host's, and a command downloads them. The folder of the cache is empty, so that NVRTC is named.
#[test]
fn a_missing_header_of_the_toolkit_is_brought_by_a_command() {
    let Some(nvrtc) = nvrtc::pinned::wheel().and_then(|wheel| wheel.kept_file()).filter(|file| file.is_file()) else {
        return crate::skip("the pinned NVRTC");
    };
    let empty = tempfile::tempdir().expect("a temporary folder");
    for (header, command) in
        [("cuda_pipeline.h", "cargo learn headers"), ("curand_kernel.h", "cargo learn headers --curand")]
    {
        let text = format!(
            "#include <{header}>\n#include <fstream>\n__global__ void k(float* x) {{ __pipeline_commit(); }}\n"
        );
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("k.cu");
        fs::write(&file, text).expect("a file");
        let mut check = Command::new(env!("CARGO_BIN_EXE_learn"));
        check.arg("check").arg(&file).args(["--kernel", "k", "--grid", "1", "--block", "1", "--nvrtc"]).arg(&nvrtc);
        let output =
            check.env("XDG_CACHE_HOME", empty.path()).env("CUDA_PATH", empty.path()).output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = format!("\nmissing of the CUDA toolkit, whose headers `{command}` downloads: {header}\n");
        assert!(errors.contains(&line), "{errors}");
        assert!(errors.contains("left out, as the host's: #include <fstream> (line 2)\n"), "{errors}");
    }
}

/// NVRTC's toolkit declares whole numbers of 64 bits otherwise than the host.
#[test]
fn headers_of_the_toolkit_have_their_own_whole_numbers() {
    if !cuda_cpp::toolkit_headers::folders().iter().any(|folder| folder.join("cuda_pipeline.h").is_file()) {
        return crate::skip("the toolkit's headers");
    }
    let program = "#include <stdint.h>\n#include <cuda_pipeline.h>\n#include <cuda_awbarrier.h>\n\
        #include <cooperative_groups/memcpy_async.h>\n__global__ void k(const float4* in, float4* out, int64_t* n) {\n\
        __shared__ float4 t[64];\n__pipeline_memcpy_async(&t[threadIdx.x], &in[threadIdx.x], 16);\n__pipeline_commit();\n\
        __pipeline_wait_prior(0);\n__syncthreads();\nout[threadIdx.x] = t[63 - threadIdx.x];\n}\n";
    let options = "--kernel k --grid 1 --block 64 --arch 80 --arg f32[256]=1 --arg f32[256] --arg i64[1]=0";
    let Some((status, said, errors)) = check((&[("k.cu", program)], options), Choice::Nvrtc, None) else { return };
    assert_eq!(status, Some(0), "{said}{errors}");
}
