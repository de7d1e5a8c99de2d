use super::*;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

/// Loads that a test follows: the keys of those that began, and what lets the load in progress end.
struct Loads {
    began: Receiver<u32>,
    end: Sender<()>,
}

/// Returns a thread that loads keys below `count`, each as ten times its key, when the test says so. It cannot load the key 2, and
/// panics at 3.
fn start(count: u32) -> (Ahead<u32, u32>, Loads) {
    let (begin, began) = mpsc::channel();
    let (end, may_end) = mpsc::channel();
    let ahead = Ahead::start(0..count, move |&key| {
        begin.send(key).ok()?;
        may_end.recv().ok()?;
        assert_ne!(key, 3, "this panic is part of a test");
        (key != 2).then_some(10 * key)
    });
    (ahead, Loads { began, end })
}

/// Returns what the main thread gets for a key: 1 if it must load it itself.
fn take(ahead: &Ahead<u32, u32>, key: u32) -> u32 {
    ahead.take_or(&key, || Ok::<_, ()>(1)).unwrap()
}

impl Loads {
    fn finish(&self) -> u32 {
        self.end.send(()).unwrap();
        self.began.recv().unwrap()
    }
}

#[test]
fn modules_are_loaded_in_order_and_each_is_taken_once() {
    let (ahead, loads) = start(2);
    assert_eq!([loads.finish(), loads.finish()], [0, 1]);
    assert_eq!([1, 0, 0, 7].map(|key| take(&ahead, key)), [10, 0, 1, 1]);
}

#[test]
fn the_main_thread_loads_what_fails_ahead() {
    let (ahead, loads) = start(5);
    assert_eq!([(); 5].map(|()| loads.finish()), [0, 1, 2, 3, 4]);
    assert_eq!([2, 3, 4].map(|key| take(&ahead, key)), [1, 1, 40]);
}

#[test]
fn a_measurement_waits_for_the_load_in_progress_and_no_other_begins_until_its_end() {
    let (ahead, Loads { began, end }) = start(3);
    assert_eq!(began.recv(), Ok(0));
    thread::scope(|scope| {
        // Only when the measurement waits, all loads may end.
        scope.spawn(|| {
            while !ahead.shared.lock().is_quiet {
                thread::yield_now();
            }
            (0..3).for_each(|_| end.send(()).unwrap());
        });
        ahead.quietly(|| {
            assert!(!ahead.shared.lock().is_loading);
            began.recv_timeout(Duration::from_millis(50)).unwrap_err();
        });
    });
    assert_eq!(began.recv(), Ok(1), "after the measurement");
}

#[test]
fn what_is_loaded_is_taken_without_waiting_for_the_next_load() {
    let (ahead, loads) = start(2);
    loads.finish();
    assert_eq!(loads.began.recv(), Ok(1), "is in progress");
    assert_eq!(take(&ahead, 0), 0);
    // The thread must not wait for this test, which waits for it.
    drop(loads);
}

#[test]
fn what_the_main_thread_loads_is_not_loaded_again() {
    let (ahead, Loads { began, end }) = start(3);
    assert_eq!(began.recv(), Ok(0), "is in progress, so that the thread cannot begin with 2 first");
    thread::scope(|scope| {
        // Only when the main thread waits for the load in progress, all loads may end.
        scope.spawn(|| {
            while !ahead.shared.lock().is_quiet {
                thread::yield_now();
            }
            (0..3).for_each(|_| end.send(()).unwrap());
        });
        assert_eq!(take(&ahead, 2), 1);
    });
    drop(ahead);
    assert!(began.iter().all(|key| key == 1));
}

#[test]
fn the_thread_ends_after_the_load_in_progress() {
    let (ahead, Loads { began, end }) = start(3);
    assert_eq!(began.recv(), Ok(0));
    let shared = ahead.shared.clone();
    let ending = thread::spawn(move || {
        while !shared.lock().has_ended {
            thread::yield_now();
        }
        end.send(()).unwrap();
        // Only a thread that goes on would take these, and fail the test below.
        (0..2).for_each(|_| _ = end.send(()));
        // Held until the thread has ended, so that no load fails.
        end
    });
    drop(ahead);
    assert_eq!(began.iter().next(), None);
    ending.join().unwrap();
}
