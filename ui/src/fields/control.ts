// What every control of a field has in common, whatever it edits.

export interface ControlProps {
  id: string;
  /** The id of the notes below the control. */
  describedby: string | undefined;
  invalid: boolean;
  required?: boolean;
}

/** The attributes that say how a control or a group of controls stands. */
export function stateOf({ describedby, invalid }: Omit<ControlProps, "id">) {
  return {
    "aria-describedby": describedby,
    "aria-invalid": invalid,
    // The way from the answer of a card to what is wrong on it.
    "data-misfit": invalid || undefined,
  };
}

/** The attributes of a control that is one element. */
export function attributesOf({ id, ...rest }: ControlProps) {
  return { id, ...stateOf(rest), "aria-required": rest.required };
}
