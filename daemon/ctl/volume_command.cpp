// datumctl volume denoise
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <thread>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/gpu_worker/backend_choice.h"
#include "daemon/pictures/part_file.h"
#include "daemon/system/available_memory.h"
#include "daemon/volume/denoise.h"
#include "drivers/link_error.h"
#include "drivers/volume/volume_file.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

struct VolumeOptions {
  std::string in, out, kappa, missing, conduction = "exponential", backend = "auto";
  double lambda = 0.125;
  std::uint32_t iterations = 0;
  unsigned threads = 0;
  std::uint64_t memory_mib = 0;  // 0: what is available
  bool force = false;
};

std::optional<double> finite_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

DenoiseSettings settings_of(const VolumeOptions& o) {
  DenoiseSettings s;
  s.diffusion.conduction = o.conduction == "rational" ? Conduction::rational : Conduction::exponential;
  s.diffusion.lambda = o.lambda;
  s.diffusion.iterations = o.iterations;
  if (o.kappa == "mean") {
    s.diffusion.rule = KappaRule::mean_gradient;
  } else if (o.kappa != "robust") {
    const auto kappa = finite_number(o.kappa);
    if (!kappa || *kappa <= 0)
      throw std::invalid_argument("--kappa " + o.kappa +
                                  ": wanted: a number above 0 in the volume's values, mean or robust");
    s.diffusion.rule = KappaRule::fixed;
    s.diffusion.kappa = *kappa;
  }
  if (o.missing == "nan") {
    s.missing = std::numeric_limits<double>::quiet_NaN();
  } else if (!o.missing.empty()) {
    s.missing = finite_number(o.missing);
    if (!s.missing)
      throw std::invalid_argument("--missing " + o.missing + ": wanted: a stored sample, or nan");
  }
  return s;
}

BackendSettings backend_of(const VolumeOptions& o) {
  BackendSettings b;
  b.kind = o.backend == "cpu"    ? BackendSettings::Kind::cpu
           : o.backend == "cuda" ? BackendSettings::Kind::cuda
                                 : BackendSettings::Kind::automatic;
  b.threads = o.threads;
  return b;
}

std::string record_name(const VolumeOptions& o) { return o.out + ".json"; }

/// Whether a NIfTI or NRRD file of this name is compressed.
bool is_compressed_output(const VolumeOptions& o, const VolumeHeader& in) {
  const std::string name = fs::path(o.out).filename().string();
  if (in.format == VolumeFormat::nifti) {
    if (!name.ends_with(".nii") && !name.ends_with(".nii.gz"))
      throw VolumeError(o.out + ": the input is NIfTI; wanted: a name that ends with .nii or .nii.gz");
    return name.ends_with(".gz");
  }
  if (!name.ends_with(".nrrd"))
    throw VolumeError(
        o.out + ": the input is NRRD; wanted: a name that ends with .nrrd (header and samples in one file)");
  return in.gzip;
}

void refuse_existing(const VolumeOptions& o) {
  if (o.force) return;
  for (const std::string& file : {o.out, record_name(o)})
    if (fs::exists(fs::symlink_status(file)))
      throw VolumeError(file + ": exists; --force replaces it, or name another output");
}

void check_memory(const VolumeOptions& o, const VolumeHeader& h, unsigned threads, bool gpu) {
  const std::uint64_t wanted = denoise_memory(h, threads, gpu);
  const auto there = o.memory_mib > 0 ? std::optional(o.memory_mib << 20) : available_memory();
  if (there && wanted > *there)
    throw VolumeError(fmt::format(
        "{}: {} x {} x {} {} take {} MiB of memory{}, {} MiB are {}; cut the volume into several along z{}",
        o.in, h.size[0], h.size[1], h.size[2], name_of(h.type), wanted >> 20,
        gpu ? " with a GPU (--backend cpu takes less)" : "", *there >> 20,
        o.memory_mib > 0 ? "allowed" : "available", o.memory_mib > 0 ? ", or raise --memory-mib" : ""));
}

void show_progress(std::uint32_t done, std::uint32_t of) {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  fmt::print(stderr, "{}{} of {} iterations{}", terminal ? "\r" : "", done, of,
             terminal && done < of ? "" : "\n");
  std::fflush(stderr);
}

void write_result(const VolumeOptions& o, const Volume& v, const std::string& header, bool gzip,
                  const std::string& record) {
  PartFile volume(o.out), beside(record_name(o));
  write_volume(v, header, gzip, [&](const std::string& bytes) { volume.write(bytes); });
  beside.write(record + "\n");
  beside.finish();
  volume.finish();
}

void print(const VolumeOptions& o, const Denoised& d, const std::string& summary, const std::string& record,
           bool json) {
  if (json) {
    fmt::print("{}\n", record);
    return;
  }
  fmt::print("{}: {}\n", o.out, summary);
  fmt::print("{} voxels{}, changed by {:.6g} (rms), at most by {:.6g}, on {}\n", d.voxels,
             d.missing == 0 ? "" : fmt::format(", {} without a value kept", d.missing), d.rms_change,
             d.largest_change, fmt::join(d.backends, ", then "));
  for (const std::string& warning : d.warnings) fmt::print("note: {}\n", warning);
}

void denoise_file(const VolumeOptions& o, bool json) {
  const DenoiseSettings settings = settings_of(o);
  const VolumeHeader header = read_volume_header(o.in);
  const bool gzip = is_compressed_output(o, header);
  refuse_existing(o);
  const unsigned threads = o.threads > 0 ? o.threads : std::max(1u, std::thread::hardware_concurrency());
  check_memory(o, header, threads, false);
  const BackendChoice backend =
      choose_backend(backend_of(o), Timeout::of_one_frame,
                     [](bool, const std::string& text) { fmt::print(stderr, "backend: {}\n", text); });
  fmt::print(stderr, "backend: {}\n", backend.why);
  check_memory(o, header, threads, dynamic_cast<const CpuDiffuser*>(backend.diffuser.get()) == nullptr);
  Volume volume = read_samples(o.in, header);
  const Denoised done = denoise(volume, settings, *backend.diffuser, o.in, show_progress);
  nlohmann::ordered_json record = record_of(volume, settings, done);
  record["input"] = fs::path(o.in).filename().string();
  record["output"] = fs::path(o.out).filename().string();
  const std::string text = record.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  const std::string summary = summary_of(settings, done);
  write_result(o, volume, header_with(header, "datumd", summary), gzip, text);
  print(o, done, summary, text, json);
}

int run_denoise(const VolumeOptions& o, bool json) {
  try {
    denoise_file(o, json);
    return good;
  } catch (const VolumeError& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return usage;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return usage;
  } catch (const RefusedError& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return usage;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "datumctl: {}: the memory is exhausted; cut the volume into several along z\n", o.in);
    return usage;
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return not_written;
  }
}

}  // namespace

void add_volume_commands(CommandLine& line) {
  auto o = std::make_shared<VolumeOptions>();
  auto* volume = line.app.add_subcommand("volume", "volumes of computed tomography, without the daemon");
  volume->require_subcommand(1);
  auto* command = line.leaf(*volume, "denoise",
                            "smooths noise and keeps edges by Perona-Malik diffusion, for views and "
                            "segmentation: it lowers peaks, so "
                            "measure in the volume as scanned. Writes OUT, whose header says what was done, "
                            "and the whole record as "
                            "OUT.json",
                            [&line, o] { return run_denoise(*o, line.json); });
  line.offer(
      command
          ->add_option("in", o->in,
                       "FILE.nrrd, .nii, .nii.gz, or FILE.nhdr: a NRRD header of raw samples beside it")
          ->required(),
      Offer::files);
  line.offer(command->add_option("out", o->out, "file of the same format, which appears whole or not at all")
                 ->required(),
             Offer::files);
  command
      ->add_option(
          "--kappa", o->kappa,
          "difference of neighbours at which conduction falls to 1/e or a half: a number in the volume's "
          "values, mean (of all differences, anew before each iteration) or robust (2.5 standard deviations "
          "of the noise by their median, once)")
      ->required();
  command->add_option("--iterations", o->iterations, "1 to 10000")->required()->check(CLI::Range(1, 10000));
  command
      ->add_option(
          "--conduction", o->conduction,
          "exponential, exp(-(d/kappa)^2), keeps steep edges; rational, 1/(1+(d/kappa)^2), wide regions")
      ->transform(CLI::IsMember({"exponential", "rational"}, CLI::ignore_case))
      ->capture_default_str();
  command
      ->add_option("--lambda", o->lambda,
                   "share of a difference that passes in an iteration, at most 1/6 (a map: 1/4)")
      ->capture_default_str();
  command->add_option("--missing", o->missing,
                      "stored sample of voxels without a value, or nan; they stay, and nothing passes them");
  command->add_option("--backend", o->backend, "the bytes are the same on each")
      ->transform(CLI::IsMember({"auto", "cpu", "cuda"}, CLI::ignore_case))
      ->capture_default_str();
  command->add_option("--threads", o->threads, "of the CPU (default: one per core)")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option("--memory-mib", o->memory_mib,
                   "the most memory that may be taken (default: what is available)")
      ->check(CLI::Range(1, 1 << 24));
  command->add_flag("--force", o->force, "replace existing files");
  line.add_json(*command, "the record as JSON");
}

}  // namespace datum
