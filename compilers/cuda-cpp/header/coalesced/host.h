// What the host's headers bring along, whichever they are: it stands for one that is left out.
#pragma once
#include <float.h>
#include <cstdint>
#include <limits>
#include <utility>

namespace std {

template <class T>
COALESCED_STANDARD const T& min(const T& a, const T& b) {
    return b < a ? b : a;
}
template <class T>
COALESCED_STANDARD const T& max(const T& a, const T& b) {
    return a < b ? b : a;
}
template <class T, class LESS>
COALESCED_STANDARD const T& min(const T& a, const T& b, LESS less) {
    return less(b, a) ? b : a;
}
template <class T, class LESS>
COALESCED_STANDARD const T& max(const T& a, const T& b, LESS less) {
    return less(a, b) ? b : a;
}
template <class TO, class T>
COALESCED_STANDARD void fill(TO first, TO last, const T& value) {
    for (; first != last; ++first) *first = value;
}
template <class TO, class N, class T>
COALESCED_STANDARD TO fill_n(TO first, N count, const T& value) {
    for (; count > 0; --count, ++first) *first = value;
    return first;
}
template <class FROM, class TO>
COALESCED_STANDARD TO copy(FROM first, FROM last, TO to) {
    for (; first != last; ++first, ++to) *to = *first;
    return to;
}
template <class FROM, class T>
COALESCED_STANDARD FROM lower_bound(FROM first, FROM last, const T& value) {
    for (auto count = last - first; count > 0;) {
        const auto half = count / 2;
        if (first[half] < value) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

}  // namespace std
