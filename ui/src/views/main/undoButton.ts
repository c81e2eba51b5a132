/** The button that brings the chat back that was moved to the trash last, where it is drawn. */
export const undoButton = () => document.querySelector<HTMLElement>("[data-testid=trash-undo]");
