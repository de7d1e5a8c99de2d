// Numbers of 16 bits, with 11 significant ones. See coalesced/halves.h.
#pragma once
#include "coalesced/halves.h"
