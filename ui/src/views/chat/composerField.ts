/** The field in which a message is written, where a chat is shown. */
export const composerField = () => document.querySelector<HTMLElement>("[data-testid=composer]");
