import type { Clock, Logger } from '@coxswain/client';
import { loadKeyPair } from '@coxswain/client/x509';
import { followFiles } from '@coxswain/component-base/files';
import { servingCertificate } from '@coxswain/component-base/serving';
import type { KubeletServerSettings } from './server-settings.ts';
import type { ServingCertificateSource } from './serving-certificate-source.ts';

export interface CertificateOfFilesOptions {
  readonly settings: Pick<KubeletServerSettings, 'address' | 'tlsCertFile' | 'tlsPrivateKeyFile'>;
  /** Where a self-signed certificate is kept: `/var/lib/kubelet/pki`. Empty: nowhere. */
  readonly certDirectory: string;
  /** The name in a self-signed certificate. */
  readonly hostName: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Returns the certificate of the settings' files, which are followed, or a self-signed one. Rejects with an Error that names an invalid file. */
export async function certificateOfFiles({
  settings,
  certDirectory,
  hostName,
  clock,
  logger,
}: CertificateOfFilesOptions): Promise<ServingCertificateSource> {
  const now = (): Date => new Date(clock.now());
  const { tlsCertFile: certificateFile = '', tlsPrivateKeyFile: keyFile = '', address } = settings;
  const { pair, files } = await servingCertificate({
    ...(certificateFile !== '' && keyFile !== '' && { files: { certificateFile, keyFile } }),
    directory: certDirectory,
    name: 'kubelet',
    bindAddress: address,
    hostName,
    now,
  });
  return {
    current: () => ({ cert: pair.certificatePem, key: pair.keyPem }),
    subscribe(onChange) {
      if (!files) return () => {};
      const followed = followFiles({
        files: [files.certificateFile, files.keyFile],
        initial: [pair.certificatePem, pair.keyPem],
        clock,
        onChange: async () => {
          const { certificatePem: cert, keyPem: key } = await loadKeyPair(files, now);
          onChange({ cert, key });
        },
        onError: (error) => logger.error('Failed to renew the serving certificate', error),
      });
      return () => followed.close();
    },
  };
}
