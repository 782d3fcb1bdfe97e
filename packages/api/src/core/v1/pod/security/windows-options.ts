import {
  byteLength,
  type ErrorList,
  forbidden,
  invalid,
  invalidEach,
  isDns1123Subdomain,
  type Path,
} from '@coxswain/apimachinery';
import type { PodSpec, WindowsSecurityContextOptions } from '../../../../generated/core/v1.ts';
import { printedAsJson } from '../../checks.ts';
import { type AnyContainer, containersWithPath, someContainer } from '../containers.ts';

const maxCredentialSpecKiB = 64;
const maxDomainLength = 256;
const maxUserLength = 104;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const controlCharacters = /[\x00-\x1f\x7f]/;
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const dnsName = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
const forbiddenInUser = /["/\\:;|=,+*?<>@[\]]/;
const dotsAndSpaces = /^[. ]+$/;

/** Validates a user name of the form `DOMAIN\user` or `user`. */
function runAsUserNameErrors(name: string): string[] {
  const problem = (text: string) => `runAsUserName${text}`;
  if (!name) return [problem(' cannot be an empty string')];
  if (controlCharacters.test(name)) return [problem(' cannot contain control characters')];
  const parts = name.split('\\');
  if (parts.length > 2) return [problem(' cannot contain more than one backslash')];
  const user = parts[parts.length - 1]!;
  const domain = parts.length === 2 ? parts[0]! : undefined;
  const messages: string[] = [];
  if (domain !== undefined) {
    if (byteLength(domain) >= maxDomainLength)
      messages.push(problem(`'s Domain length must be under ${maxDomainLength} characters`));
    if (!netBiosName.test(domain) && !dnsName.test(domain))
      messages.push(problem("'s Domain doesn't match the NetBios nor the DNS format"));
  }
  if (!user) messages.push(problem("'s User cannot be empty"));
  else if (byteLength(user) > maxUserLength)
    messages.push(problem(`'s User length must not be longer than ${maxUserLength} characters`));
  if (dotsAndSpaces.test(user)) messages.push(problem("'s User cannot contain only periods or spaces"));
  if (forbiddenInUser.test(user))
    messages.push(problem(`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`));
  return messages;
}

export function validateWindowsSecurityContextOptions(
  options: WindowsSecurityContextOptions,
  path: Path,
  errors: ErrorList,
): void {
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName } = options;
  if (specName !== undefined)
    invalidEach(path.child('gmsaCredentialSpecName'), printedAsJson(specName), isDns1123Subdomain(specName), errors);
  if (spec !== undefined) {
    const specPath = path.child('gmsaCredentialSpec');
    if (!spec) errors.push(invalid(specPath, spec, 'gmsaCredentialSpec cannot be an empty string'));
    else if (byteLength(spec) > maxCredentialSpecKiB * 1024)
      errors.push(
        invalid(specPath, printedAsJson(spec), `gmsaCredentialSpec size must be under ${maxCredentialSpecKiB} KiB`),
      );
  }
  if (runAsUserName !== undefined)
    invalidEach(path.child('runAsUserName'), printedAsJson(runAsUserName), runAsUserNameErrors(runAsUserName), errors);
}

const hasWindowsOptions = ({ securityContext }: AnyContainer): boolean => securityContext?.windowsOptions !== undefined;

/** Validates that either all containers are Windows HostProcess containers or none is. */
export function validateWindowsHostProcess(
  spec: PodSpec,
  path: Path,
  allowPrivileged: boolean,
  errors: ErrorList,
): void {
  const podHostProcess = spec.securityContext?.windowsOptions?.hostProcess;
  if (podHostProcess === undefined && !someContainer(spec, hasWindowsOptions)) return;
  let containers = 0;
  let hostProcesses = 0;
  for (const [container, containerPath] of containersWithPath(spec, path)) {
    containers++;
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (podHostProcess !== undefined && own !== undefined && podHostProcess !== own) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${podHostProcess}`;
      errors.push(invalid(containerPath.child('securityContext', 'windowsOptions', 'hostProcess'), own, detail));
    }
    if (own ?? podHostProcess) hostProcesses++;
  }
  if (hostProcesses === 0) return;
  if (hostProcesses !== containers) {
    const detail = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalid(path, '', detail));
  }
  if (!spec.hostNetwork) {
    const detail = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(invalid(path.child('hostNetwork'), false, detail));
  }
  if (!allowPrivileged) errors.push(forbidden(path, 'hostProcess containers are disallowed by cluster policy'));
}
