// Redocly loads JavaScript. The rules are TypeScript, since they read the document as everything else does.
import { tsImport } from 'tsx/esm/api';

const { rules } = await tsImport('./document-rules.ts', import.meta.url);

export default function parley() {
  return { id: 'parley', rules: { oas3: rules } };
}
