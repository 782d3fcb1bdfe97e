import {
  type ErrorList,
  invalid,
  isDns1123Subdomain,
  isValidPortNum,
  type Path,
  required,
} from '@coxswain/apimachinery';
import type { ServiceReference, WebhookClientConfig } from '../../generated/admissionregistration/v1.ts';
import { type GoUrl, parseGoUrl } from './go-url.ts';

/** Validates the client config of a webhook: exactly one of URL and service. Also used for the conversion webhooks of CRDs. */
export function validateWebhookClientConfig(config: WebhookClientConfig, path: Path): ErrorList {
  if ((config.url === undefined) === (config.service === undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  if (config.url !== undefined) return validateWebhookUrl(config.url, path.child('url'));
  return validateWebhookService(config.service!, path.child('service'));
}

const form = '; desired format: https://host[/path]';

function validateWebhookUrl(text: string, path: Path): ErrorList {
  let url: GoUrl;
  try {
    url = parseGoUrl(text);
  } catch (error) {
    return [required(path, `url must be a valid URL: ${(error as Error).message}${form}`)];
  }
  const errors: ErrorList = [];
  if (url.scheme !== 'https') {
    errors.push(invalid(path, url.scheme, `'https' is the only allowed URL scheme${form}`));
  }
  if (url.host === '') errors.push(invalid(path, '', `host must be specified${form}`));
  if (url.user !== undefined) errors.push(invalid(path, url.user, 'user information is not permitted in the URL'));
  if (url.fragment !== '') errors.push(invalid(path, url.fragment, 'fragments are not permitted in the URL'));
  if (url.rawQuery !== '') errors.push(invalid(path, url.rawQuery, 'query parameters are not permitted in the URL'));
  return errors;
}

function validateWebhookService(service: ServiceReference, path: Path): ErrorList {
  const errors: ErrorList = [];
  // Upstream passes name and namespace in the wrong order, so the missing one is reported under the other's path.
  if (!service.namespace) errors.push(required(path.child('name')));
  if (!service.name) errors.push(required(path.child('namespace')));
  const port = service.port ?? 0;
  const portProblems = isValidPortNum(port);
  if (portProblems.length > 0) {
    errors.push(invalid(path.child('port'), port, `port is not valid: ${portProblems.join(', ')}`));
  }
  return service.path === undefined ? errors : [...errors, ...validateUrlPath(service.path, path.child('path'))];
}

function validateUrlPath(urlPath: string, path: Path): ErrorList {
  if (urlPath === '/' || urlPath === '') return [];
  if (urlPath === '//') return [invalid(path, urlPath, 'segment[0] may not be empty')];
  const errors: ErrorList = [];
  if (!urlPath.startsWith('/')) errors.push(invalid(path, urlPath, "must start with a '/'"));
  urlPath
    .slice(1)
    .replace(/\/$/, '')
    .split('/')
    .forEach((segment, i) => {
      if (segment === '') errors.push(invalid(path, urlPath, `segment[${i}] may not be empty`));
      else {
        for (const problem of isDns1123Subdomain(segment)) {
          errors.push(invalid(path, urlPath, `segment[${i}]: ${problem}`));
        }
      }
    });
  return errors;
}
