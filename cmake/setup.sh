#!/usr/bin/env bash
# Brings what the build needs: Debian packages, and LibTorch unpacked from PyPI's wheel into .deps/ (the system's
# Python packages stay as they are). Does nothing, quickly, when everything is there.
# Usage: setup.sh PRESET
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${1:-release}
deps="$root/.deps"
say() { printf 'lab: %s\n' "$*" >&2; }

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

install_packages() {
  local wanted missing
  mapfile -t wanted < <(grep -v '^#' "$root/cmake/packages.txt")
  missing=$(comm -23 <(printf '%s\n' "${wanted[@]}" | sort) \
    <(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "${wanted[@]}" 2>/dev/null | awk '$1 == "ii" {print $2}' | sort))
  [[ -z $missing ]] && return
  say "installing Debian packages:" $missing
  as_root apt-get -qq update
  # shellcheck disable=SC2086 # one word a package is meant
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing >"$deps/apt.log" 2>&1 ||
    { cat "$deps/apt.log" >&2; exit 1; }
}

# fetch LOCKFILE FOLDER: downloads the wheels that the lock file pins. The tags are fixed, so the hashes are too.
fetch() {
  /usr/bin/python3 -m pip download --quiet --no-deps --require-hashes --only-binary=:all: --dest "$2" \
    --implementation cp --python-version 3.11 --abi cp311 --abi none \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux_2_25_x86_64 \
    --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 -r "$1"
}

# The two CUDA libraries that even the CPU half of the wheel is linked to: from an installed toolkit, else two small wheels.
provide_cuda_stubs() {
  local into="$1/nvidia/cu13/lib" toolkit=${CUDA_HOME:-/usr/local/cuda} name found
  mkdir -p "$into"
  for name in libcudart.so.13 libcupti.so.13; do
    found=$(find -L "$toolkit" -name "$name" 2>/dev/null | head -n 1 || true)
    [[ -n $found ]] && ln -sf "$found" "$into/$name"
  done
  [[ -e $into/libcudart.so.13 && -e $into/libcupti.so.13 ]] && return
  say "downloading libcudart and libcupti"
  fetch "$root/cmake/cuda-stubs.lock" "$1/wheels"
  local wheel
  for wheel in "$1"/wheels/nvidia_*.whl; do
    unzip -q -o "$wheel" 'nvidia/cu13/lib/libcudart.so.13' -d "$1" 2>/dev/null || true
    unzip -q -o "$wheel" 'nvidia/cu13/lib/libcupti.so.13' -d "$1" 2>/dev/null || true
  done
  [[ -e $into/libcudart.so.13 && -e $into/libcupti.so.13 ]] || { say "libcudart.so.13 or libcupti.so.13 is missing"; exit 1; }
}

# .deps/libtorch holds the CPU half of the wheel; for the cuda preset, all of its libraries.
unpack_libtorch() {
  local libraries=cpu stamp="$deps/libtorch/complete" wanted
  [[ $preset == cuda ]] && libraries=all
  wanted=$(cat "$root"/cmake/libtorch.lock "$root"/cmake/cuda-stubs.lock "${BASH_SOURCE[0]}" | sha256sum)
  if [[ -f $stamp && -e $deps/libtorch/nvidia/cu13/lib/libcudart.so.13 ]]; then
    [[ $(<"$stamp") == "$wanted $libraries" || $(<"$stamp") == "$wanted all" ]] && return
  fi
  local fresh="$deps/libtorch.new"
  rm -rf "$fresh"
  mkdir -p "$fresh/wheels"
  say "downloading LibTorch (539 MB, once)"
  fetch "$root/cmake/libtorch.lock" "$fresh/wheels"
  say "unpacking LibTorch"
  local files=('torch/include/*' 'torch/lib/libtorch_cpu.so' 'torch/lib/libc10.so' 'torch/lib/libgomp.so.1')
  [[ $libraries == all ]] && files=('torch/include/*' 'torch/lib/*.so*')
  # Its own copy of fmt would hide Debian's, whose library is the one that is linked.
  unzip -q -o "$fresh"/wheels/torch-*.whl "${files[@]}" -x 'torch/include/fmt/*' -d "$fresh"
  provide_cuda_stubs "$fresh"
  rm -rf "$fresh/wheels" "$deps/libtorch"
  printf '%s\n' "$wanted $libraries" >"$fresh/complete"
  mv "$fresh" "$deps/libtorch"
}

mkdir -p "$deps"
install_packages
unpack_libtorch
