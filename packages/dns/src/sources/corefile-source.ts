import type { CorefileFiles } from '../corefile/index.ts';
import type { ConfigurationFiles } from '../plugins/index.ts';

/** The text of a configuration at one time, with the files beside it. */
export interface CorefileVersion {
  readonly corefile: string;
  /** Where it is from, for messages: a path, or `kube-system/coredns`. */
  readonly origin: string;
  readonly imports: CorefileFiles;
  /** Equal for equal versions. */
  readonly fingerprint: string;
}

/** Where the configuration comes from. */
export interface CorefileSource {
  /** Returns the current version. Rejects when there is none. */
  read(signal: AbortSignal): Promise<CorefileVersion>;
  /** Files that plug-ins read. */
  readonly files: ConfigurationFiles;
  /** Calls back when there may be another version. Sources without it are read at the interval of the plug-in `reload`. */
  readonly onChange?: (callback: () => void) => void;
  /** Follows the source until the signal is aborted. */
  readonly run?: (signal: AbortSignal) => Promise<void>;
}
