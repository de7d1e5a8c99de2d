//! Graphs as lists of successors: the flow between basic blocks, and calls between functions.

/// Returns the nodes that can precede each node.
pub(super) fn reverse(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (node, list) in successors.iter().enumerate() {
        list.iter().for_each(|&successor| predecessors[successor].push(node));
    }
    predecessors
}

/// Returns for each node whether it is in a circle, or on a path between circles.
pub(super) fn in_circles(successors: &[Vec<usize>]) -> Vec<bool> {
    let (predecessors, mut left) = (reverse(successors), vec![true; successors.len()]);
    // What has no edge to a node that is left, or from one, is in no circle.
    for (forth, back) in [(successors, predecessors.as_slice()), (predecessors.as_slice(), successors)] {
        let count = |list: &Vec<usize>| list.iter().filter(|&&node| left[node]).count();
        let mut edges: Vec<usize> = forth.iter().map(count).collect();
        let mut ends: Vec<usize> = (0..edges.len()).filter(|&node| left[node] && edges[node] == 0).collect();
        while let Some(end) = ends.pop() {
            left[end] = false;
            for &node in back[end].iter().filter(|&&node| left[node]) {
                edges[node] -= 1;
                if edges[node] == 0 {
                    ends.push(node);
                }
            }
        }
    }
    left
}
