import { reasonOf } from '@coxswain/apimachinery/log';
import { boolean, flag } from '@coxswain/component-base';
import type { CommandBody, Invocation } from '@coxswain/component-base/cli';
import { type VersionInfo, versionInfo } from '@coxswain/component-base/version';
import type { CoxContext } from '../context.ts';
import { outputFlag, outputFormat, printed } from '../output.ts';
import { clusterCompletions, clusterFlags, clusterOf } from '../up/cluster-flags.ts';
import { clientLogger } from '../verbosity.ts';
import { coxswainVersion } from '../version.ts';

const flags = {
  ...clusterFlags,
  client: flag(boolean, 'Show only the versions of this program, without contacting a cluster', false),
  output: outputFlag,
};

/** The output of `cox --version`. */
export const versionText = (): string => `Coxswain ${coxswainVersion} (Kubernetes ${versionInfo.gitVersion})\n`;

export const versionCommand: CommandBody<CoxContext> = {
  long: 'Print the versions of Coxswain, of the Kubernetes it implements, and of the cluster if it runs.',
  examples: `cox version
cox version --client -o json`,
  flags,
  completions: clusterCompletions,
  explain: reasonOf,
  async run(invocation) {
    const { client, output } = invocation.flags(flags);
    const { out } = invocation.context.terminal;
    const format = outputFormat(output);
    const serverVersion = client ? undefined : await serverVersionOf(invocation);
    const versions = { clientVersion: versionInfo, coxswainVersion, ...(serverVersion && { serverVersion }) };
    if (format) out(await printed(versions, format));
    else {
      out(`Client Version: ${versionInfo.gitVersion}\nCoxswain Version: ${coxswainVersion}\n`);
      if (serverVersion) out(`Server Version: ${serverVersion.gitVersion}\n`);
    }
    return 0;
  },
};

/** Returns undefined when no cluster runs. */
async function serverVersionOf(invocation: Invocation<CoxContext>): Promise<VersionInfo | undefined> {
  const { directory } = clusterOf(invocation);
  const pid = await directory.holder();
  if (pid === undefined || (await directory.readableState())?.pid !== pid) return undefined;
  const { withClient } = await import('../up/status.ts');
  return withClient(directory, clientLogger(invocation), (rest) =>
    rest.request<VersionInfo>({ method: 'GET', path: '/version' }),
  );
}
