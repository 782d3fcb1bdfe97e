import { parseSigningRequest } from '@coxswain/api';
import type { CertificateSigningRequest } from '@coxswain/api/certificates/v1';
import { encodeBase64 } from '@coxswain/apimachinery/schema';
import { timeFromDate } from '@coxswain/apimachinery/time';
import type { CertificateRequest } from '@coxswain/apimachinery/x509';
import type { CertificateIssuer } from '@coxswain/client/x509';
import type { Controller, ControllerContext, ControllerDefinition } from '../framework/controller/controller.ts';
import { kubeletClientProblem, kubeletServingProblem } from './kubelet-requests.ts';
import { hasCondition, requestLoop } from './request-loop.ts';
import { signRequest } from './sign-request.ts';

/** Returns why the signer rejects the request permanently, or undefined when it does not. */
type Rule = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

const rules = {
  'kubernetes.io/kube-apiserver-client': (_, usages) => apiServerClientProblem(usages),
  'kubernetes.io/kube-apiserver-client-kubelet': kubeletClientProblem,
  'kubernetes.io/kubelet-serving': kubeletServingProblem,
  'kubernetes.io/legacy-unknown': () => undefined,
} as const satisfies Readonly<Record<string, Rule>>;

/** The signers that this controller implements. */
type SignerName = keyof typeof rules;

/** Returns a certificate and its key. Called for every signing, so that the files may be replaced. */
type AuthorityProvider = () => Required<CertificateIssuer>;

export interface CsrSigningOptions {
  /** One authority for all signers (`--cluster-signing-cert-file`), or one per signer (`--cluster-signing-kubelet-…`). */
  readonly authorities: AuthorityProvider | Readonly<Partial<Record<SignerName, AuthorityProvider>>>;
  /** `--cluster-signing-duration` */
  readonly maxDurationMs?: number;
}

const yearMs = 365 * 24 * 60 * 60 * 1000;

/** Signs the approved requests of the signers that have an authority. */
export function csrSigningController(options: CsrSigningOptions): ControllerDefinition {
  return {
    name: 'certificatesigningrequest-signing-controller',
    aliases: ['csrsigning'],
    create: (context) => newController(context, options),
  };
}

function newController(context: ControllerContext, options: CsrSigningOptions): Controller {
  const { authorities, maxDurationMs = yearMs } = options;
  const { clock } = context;
  const requests = context.clients.certificates.v1.certificateSigningRequests();
  return requestLoop(context, 'csrsigning', async (request) => {
    const { signerName, expirationSeconds } = request.spec;
    const usages = request.spec.usages ?? [];
    if (!hasCondition(request, 'Approved') || hasCondition(request, 'Denied') || isFailed(request)) return;
    if (!isSignerName(signerName)) return;
    const authority = typeof authorities === 'function' ? authorities : authorities[signerName];
    if (!authority) return;
    const parsed = parseSigningRequest(request.spec.request);
    const problem = rules[signerName](parsed, usages);
    if (problem !== undefined) {
      await requests.updateStatus(withFailure(request, problem, clock.now()));
      return;
    }
    const policy = { usages, expirationSeconds, maxDurationMs, now: clock.now() };
    const certificate = encodeBase64(Buffer.from(signRequest(parsed, authority(), policy)));
    await requests.updateStatus({ ...request, status: { ...request.status, certificate } });
  });
}

const isSignerName = (name: string): name is SignerName => Object.hasOwn(rules, name);

const isFailed = ({ status }: CertificateSigningRequest): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'Failed' && status === 'True') ?? false;

function withFailure(request: CertificateSigningRequest, message: string, now: number): CertificateSigningRequest {
  const failed = {
    type: 'Failed',
    status: 'True',
    reason: 'SignerValidationFailure',
    message,
    lastUpdateTime: timeFromDate(new Date(now)),
  };
  return { ...request, status: { ...request.status, conditions: [...(request.status?.conditions ?? []), failed] } };
}

const clientUsages: ReadonlySet<string> = new Set(['digital signature', 'key encipherment', 'client auth']);

function apiServerClientProblem(usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => !clientUsages.has(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}
