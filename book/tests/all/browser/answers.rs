//! The committed modules of pages answer as the sources of today: the same counts, results and verdicts. Texts may be older.

use super::page::Page;
use super::site::reader;
use judge::kernel_file::Language;
use judge::set::{Role, Set};
use judge::{Submission, set::Exercise};
use loading::workspace_root;
use serde_json::{Value, json};

/// Asks a module of the page, without its script.
const ASK: &str = "async (element, questions) => {
    const { exports } = coalescedInstance(await WebAssembly.compile(await coalesced.carried(element)));
    return questions.map((question) => {
        const bytes = new TextEncoder().encode(question);
        const room = exports.question_room(bytes.length);
        new Uint8Array(exports.memory.buffer, room, bytes.length).set(bytes);
        const answer = exports.ask();
        return new TextDecoder().decode(new Uint8Array(exports.memory.buffer, answer, exports.answer_bytes()));
    });
}";

/// A kernel whose blocks wait for each other: how often they look depends on the order in which they run.
const WAITING: &str = "periodicPersistent";

/// Returns a module's answers to questions.
fn ask(page: &mut Page, module: &str, questions: &[String]) -> Vec<Value> {
    let asked = format!("({ASK})(document.querySelector('script.{module}'), {})", json!(questions));
    let answers: Vec<String> = page.evaluate(&asked);
    answers.iter().map(|answer| serde_json::from_str(answer).expect("an answer in JSON")).collect()
}

/// Returns an answer without its texts.
fn without_texts(mut answer: Value) -> Value {
    match &mut answer {
        Value::Object(fields) => {
            fields.retain(|name, _| !["text", "finding", "notes"].contains(&name.as_str()));
            for field in fields.values_mut() {
                *field = without_texts(field.take());
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| *value = without_texts(value.take())),
        _ => {}
    }
    answer
}

fn require_same(page: &mut Page, module: &str, questions: &[String], native: fn(&str) -> String) {
    let is_fixed = |question: &&String| entry(question) != WAITING;
    let questions: Vec<String> = questions.iter().filter(is_fixed).cloned().collect();
    for (question, answered) in questions.iter().zip(ask(page, module, &questions)) {
        let expected: Value = serde_json::from_str(&native(question)).expect("an answer in JSON");
        assert!(expected.get("error").is_none(), "{expected}");
        assert_eq!(
            without_texts(answered),
            without_texts(expected),
            "the committed module of {module} is older than its sources: run `cargo x wasm`; {}",
            entry(question)
        );
    }
}

/// Returns the kernel or exercise of a question.
fn entry(question: &str) -> Value {
    let question: Value = serde_json::from_str(question).expect("a question in JSON");
    if question["scene"].is_object() {
        question["scene"]["entry"].clone()
    } else {
        question["exercise"]["name"].clone()
    }
}

fn judged(exercise: &Exercise, role: &Role) -> String {
    let prebuilt = |role: &Role| Submission::prebuilt(exercise, role, Language::Cuda).expect("a kernel with its PTX");
    let (solution, answer) = (prebuilt(&Role::Solution), prebuilt(role));
    let card = std::fs::read_to_string(exercise.folder.join("card.toml")).expect("a card");
    let solution = json!({ "text": solution.text, "ptx": solution.ptx });
    let exercise = json!({ "name": exercise.name, "card": card, "solution": solution, "skeleton": "" });
    json!({ "ask": "judge", "exercise": exercise, "language": "cu", "text": answer.text, "ptx": answer.ptx })
        .to_string()
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_committed_emulator_counts_a_launch_of_every_kernel_as_its_sources() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let scenes = "(async () => {
        const element = document.querySelector('script.player-scenes');
        const data = JSON.parse(new TextDecoder().decode(await coalesced.carried(element)));
        // One launch of each kernel: the exercises' kernels are judged by the editor's module.
        const first = (choice, at, all) => all.findIndex((other) => other.kernel === choice.kernel) === at;
        return data.scenes.filter(first).map((choice) => JSON.stringify({ ask: 'run', scene: kernelPlayer.model.resolve(data, choice) }));
    })()";
    let mut questions = 0;
    for chapter in site.chapters() {
        let text = std::fs::read_to_string(site.folder().join(chapter)).expect("a page");
        let is_carried =
            ["emulator-wasm", "player-scenes"].iter().all(|class| text.contains(&format!("class=\"{class}\"")));
        if is_carried && chapter.starts_with("stage") {
            page.open(&site.on_disk(chapter));
            page.wake();
            let asked: Vec<String> = page.evaluate(scenes);
            require_same(&mut page, "emulator-wasm", &asked, emulator_web::answer);
            questions += asked.len();
        }
    }
    assert!(questions > 50, "only {questions} launches");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_committed_editor_judges_every_exercise_as_its_sources() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.open(&site.on_disk(site.page_with("class=\"editor-wasm\"")));
    let set = Set::load(&workspace_root().join("exercises")).expect("a valid set");
    let roles = [Role::Skeleton, Role::Solution];
    let questions: Vec<String> =
        set.exercises.iter().flat_map(|exercise| roles.iter().map(|role| judged(exercise, role))).collect();
    require_same(&mut page, "editor-wasm", &questions, editor_web::answer);
}
