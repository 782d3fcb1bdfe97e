import { type ErrorList, invalid, Path } from '@coxswain/apimachinery';
import type { TokenRequest } from '../../generated/authentication/v1.ts';

const expirationPath = Path.of('spec', 'expirationSeconds');
const minSeconds = 10 * 60;
const maxSeconds = 2 ** 32;

export function setTokenRequestDefaults(request: TokenRequest): void {
  request.spec ??= { audiences: [] };
  request.spec.expirationSeconds ??= 60 * 60;
}

export function validateTokenRequest({ spec }: TokenRequest): ErrorList {
  const seconds = spec?.expirationSeconds ?? 0;
  if (seconds < minSeconds)
    return [invalid(expirationPath, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds > maxSeconds)
    return [invalid(expirationPath, seconds, 'may not specify a duration larger than 2^32 seconds')];
  return [];
}
