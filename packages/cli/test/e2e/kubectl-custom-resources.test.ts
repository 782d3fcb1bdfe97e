import { testTranscripts } from './test-transcripts.ts';

testTranscripts('custom-resources', 'at', 'schemas');
