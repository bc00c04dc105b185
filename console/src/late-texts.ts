// The build takes these texts out of the file of all texts, so that they are loaded with the parts
// that show them (build.ts).

export { lateTexts } from './texts.ts';
