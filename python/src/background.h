// Long work runs beside Python: on a thread of its own, while the calling thread sees to signals
// and progress.
#ifndef AIRLOT_PYTHON_BACKGROUND_H_
#define AIRLOT_PYTHON_BACKGROUND_H_

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "arrays.h"

namespace airlot::python {

// Returns how many calls of RunBeside are under way.
inline std::atomic<int>& CallsUnderWay() {
  static std::atomic<int> calls = 0;
  return calls;
}

// Returns how many threads are without the GIL and will want it back.
inline std::atomic<int>& ThreadsOutside() {
  static std::atomic<int> threads = 0;
  return threads;
}

// Returns the flag that tells all calls to stop, because the interpreter ends. It is set with the
// GIL held.
inline std::atomic<bool>& AllStop() {
  static std::atomic<bool> stop = false;
  return stop;
}

// WithoutGil lets go of the GIL while it lives. Where a thread asks for the GIL after the
// interpreter's end, Python unwinds it in the middle of C++, which ends the process. So the end
// waits for all who are outside, and nobody else goes there from then on.
class WithoutGil {
 public:
  WithoutGil() {
    if (AllStop()) return;
    ++ThreadsOutside();
    state_ = PyEval_SaveThread();
  }
  ~WithoutGil() {
    if (state_ == nullptr) return;
    PyEval_RestoreThread(state_);
    --ThreadsOutside();
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_ = nullptr;  // null: the GIL is held
};

// Stops all calls, and returns when nobody is without the GIL any more, with the GIL held.
inline void StopAll() {
  AllStop() = true;
  while (ThreadsOutside() > 0) {
    const pybind11::gil_scoped_release release;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Who looks up strategies or keys shares this lock, and who registers a strategy has it alone. It
// is never held by anybody who waits for the GIL.
inline std::shared_mutex& RegistryMutex() {
  static std::shared_mutex mutex;
  return mutex;
}
inline std::shared_lock<std::shared_mutex> ReadingRegistry() {
  return std::shared_lock(RegistryMutex());
}

// Around a fork nobody changes what is registered. Whoever reads it then goes on in the parent, and
// is not there in the child, which begins with a lock of its own.
inline void BeforeFork() { RegistryMutex().lock_shared(); }
inline void AfterForkInParent() { RegistryMutex().unlock_shared(); }
inline void AfterForkInChild() {
  new (&RegistryMutex()) std::shared_mutex;
  CallsUnderWay() = ThreadsOutside() = 0;
}

// A run's thread says of which call of RunBeside it is, by the flag that stops that call.
inline const std::atomic<bool>*& CallOfThread() {
  thread_local const std::atomic<bool>* call = nullptr;
  return call;
}

// A Visit of a run's thread to Python holds the GIL. The first one gives the thread a state of
// Python's, which it has until it ends: Python would make one for each visit otherwise, and map and
// unmap a stack for it, which takes longer than a short function of the user.
class Visit {
 public:
  Visit() = default;

 private:
  class KeptState {
   public:
    KeptState() = default;
    ~KeptState() {
      PyEval_RestoreThread(state_);
      PyGILState_Release(before_);
    }
    KeptState(const KeptState&) = delete;
    KeptState& operator=(const KeptState&) = delete;

   private:
    PyGILState_STATE before_ = PyGILState_Ensure();
    PyThreadState* state_ = PyEval_SaveThread();
  };
  static const KeptState& OfThread() {
    thread_local const KeptState state;
    return state;
  }

  const KeptState& kept_ = OfThread();
  pybind11::gil_scoped_acquire acquired_;
};

// InPython is there while a run's thread is in code of the user. It lives while the GIL is held,
// which guards the list of all.
class InPython {
 public:
  InPython() { All().push_back(this); }
  ~InPython() { std::erase(All(), this); }
  InPython(const InPython&) = delete;
  InPython& operator=(const InPython&) = delete;

  // Forgets all, because this process was forked and their threads are not here.
  static void Forget() { All().clear(); }
  // Raises KeyboardInterrupt in the code that the threads of a call are in.
  static void Interrupt(const std::atomic<bool>& call) {
    for (const InPython* one : All()) {
      if (one->call_ == &call) PyThreadState_SetAsyncExc(one->thread_, PyExc_KeyboardInterrupt);
    }
  }

 private:
  static std::vector<InPython*>& All() {
    static std::vector<InPython*> all;
    return all;
  }

  const std::atomic<bool>* call_ = CallOfThread();
  unsigned long thread_ = PyThread_get_thread_ident();
};

// Runs `work` to its end, and calls `tick` now and then with the GIL held. Where a signal's handler
// or `tick` throws, as an interrupt does, `stops` is set, `work` is expected to end soon, and the
// exception is thrown on; else that of `work`, if there is one. Code of the user that goes on for a
// second after that is interrupted. It is called with the GIL held.
inline void RunBeside(std::atomic<bool>& stops, const std::function<void()>& tick,
                      const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kTick{50}, kPatience{1000};
  if (AllStop()) throw Failure("the interpreter ends: nothing can be run any more");
  std::exception_ptr thrown_by_work, thrown_here;
  Clock::time_point stopped;
  ++CallsUnderWay();
  {
    const WithoutGil without;
    std::mutex mutex;
    std::condition_variable changed;
    bool is_done = false;
    std::thread thread([&] {
      try {
        work();
      } catch (...) {
        thrown_by_work = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      is_done = true;
      changed.notify_all();
    });
    while (true) {
      {
        std::unique_lock lock(mutex);
        if (changed.wait_for(lock, kTick, [&] { return is_done; })) break;
      }
      const pybind11::gil_scoped_acquire acquire;
      try {
        if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
        if (!thrown_here) tick();
        if (AllStop()) stops = true;
      } catch (...) {
        if (!thrown_here) {
          thrown_here = std::current_exception();
          stopped = Clock::now();
        }
        stops = true;
      }
      if (thrown_here && Clock::now() - stopped > kPatience) {
        InPython::Interrupt(stops);
        stopped = Clock::now();
      }
    }
    thread.join();
  }
  --CallsUnderWay();
  if (thrown_here) std::rethrow_exception(thrown_here);
  if (thrown_by_work) std::rethrow_exception(thrown_by_work);
}

}  // namespace airlot::python

#endif  // AIRLOT_PYTHON_BACKGROUND_H_
