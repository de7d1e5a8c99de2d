//! What orders the work of streams, and what is found where nothing does.

mod support;

mod order {
    mod bench;
    mod library;
    mod relation;
    mod work;
}
