#include "troupe/actors/grid_folder_keeper.hpp"

#include "troupe/messages/error.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <exception>

namespace troupe {

namespace {

template <class Move>
caf::result<FoldersMoved> moved(const Move& move) {
  try {
    move();
    return FoldersMoved{};
  } catch (const std::exception& e) {
    return fail(Error::io, e.what());
  }
}

FolderKeeper::behavior_type folder_keeper(const LentFolders& folders) {
  return {
    [folders](const OpenFolder& open) { return moved([&] { folders.open(open.node); }); },
    [folders](const LendRun& lend) { return moved([&] { folders.lend(lend.run, lend.node); }); },
    [folders](const BringHome& home) {
      return moved([&] { folders.bring_home(home.run, home.node); });
    },
    [folders](const RescueRun& lost) {
      return moved([&] { folders.rescue(lost.run, lost.node); });
    },
  };
}

} // namespace

FolderKeeper spawn_folder_keeper(caf::actor_system& system, LentFolders folders) {
  return system.spawn<caf::detached>(folder_keeper, std::move(folders));
}

FolderKeeper spawn_scheduled_folder_keeper(caf::actor_system& system, LentFolders folders) {
  return system.spawn(folder_keeper, std::move(folders));
}

} // namespace troupe
