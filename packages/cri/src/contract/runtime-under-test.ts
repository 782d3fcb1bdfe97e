import type { ContainerRuntime } from '../services.ts';

/** A runtime for one test. Other tests may use the same one at the same time: the suite looks only at what it has made itself. */
export interface RuntimeUnderTest extends ContainerRuntime {
  /** The name of an image that can be pulled, or is already present. */
  readonly image: string;
  /** A directory of the test's own, for logs. */
  readonly directory: string;
  /** Lets time pass until the condition holds. Rejects if it does not hold soon. */
  until(condition: () => Promise<boolean>): Promise<void>;
}

/** Abilities that only some runtimes have. */
export interface RuntimeTraits {
  /** Whether containers run their commands, so that they print, and more commands can be run in them. The image has `/bin/sh`. */
  readonly runs: boolean;
  /** Whether GetContainerEvents is implemented. */
  readonly hasEvents: boolean;
}

/** Tests by their titles. */
export type ContractCases = Readonly<Record<string, (test: ContractTest) => Promise<void>>>;

/** Returns the reference of the image of the tests, which is pulled if it is not present. */
export async function presentImage({ images, image }: RuntimeUnderTest): Promise<string> {
  const { image: found } = await images.imageStatus({ image: { image } });
  return found?.id ?? (await images.pullImage({ image: { image } })).imageRef;
}

/** The runtime, and functions that create sandboxes and containers, which are removed at the end of the test. */
export interface ContractTest extends RuntimeUnderTest {
  /** The uid of a pod that no other test has. */
  readonly podUid: string;
  /** Starts a sandbox and returns its id. */
  sandbox(options?: SandboxOptions): Promise<string>;
  /** Creates a container and returns its id. Runs for ever if no command is given. */
  container(podSandboxId: string, options?: ContainerOptions): Promise<string>;
}

interface SandboxOptions {
  readonly attempt?: number;
  readonly network?: 'POD' | 'NODE';
}

interface ContainerOptions {
  readonly name?: string;
  readonly attempt?: number;
  readonly script?: string;
}
