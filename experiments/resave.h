// Loads a checkpoint and writes it again: shows that what this program writes, other implementations load.
#pragma once

#include <filesystem>
#include <string>

namespace canvaslab {

// Reads the checkpoint `name`, a folder or one of the shipped, and writes the same checkpoint, its
// tokenizer.json included, as the new folder `to`; with the updates of the folder `adapter` in its weights,
// where that is not empty. Returns the exit status 0. Throws what load_checkpoint and save_checkpoint throw.
int resave(const std::string& name, const std::filesystem::path& to,
           const std::filesystem::path& adapter = {});

}  // namespace canvaslab
