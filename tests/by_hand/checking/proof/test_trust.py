"""What shows that a number was read as it is meant, and what does not: then it is not checked, and that is said."""

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.findings import Report
from glassformer.by_hand.checking.proof.trust import Record, form_of
from glassformer.by_hand.grammar.expressions import Number, Product, Span, Sum


def told(notes: str) -> list[tuple[str, str]]:
    return [(finding.printed, finding.right) for finding in check_text(notes).findings]


def whys(report: Report) -> set[str]:
    return {remark.why for remark in report.not_checkable}


def test_a_working_with_its_result_beside_it_is_shown() -> None:
    assert told("4 + 7 = 12\n") == [("12", "11")]
    assert told("$u = 0.4 \\cdot 5 = 3.7$\n") == [("3.7", "2.0")]


def test_what_is_far_off_was_hardly_meant() -> None:
    report = check_text("$u = 0.4 \\cdot 5 = 9.3$\n")
    assert [(finding.level, finding.ground) for finding in report.findings] == [("look again", "")]
    assert check_text("$u = 0.4 \\cdot 5 = 7$\n").findings == []  # of one digit: a remainder, perhaps
    plain = "$u = 0.4 \\cdot 6 = 2.4$\n\n$v = 0.4 \\cdot 3 = 1.2$\n\n"
    assert told(plain + "$w = 0.4 \\cdot 5 = 9.3$\n") == [("9.3", "2.0")]  # others of its kind are right


def test_a_unit_may_be_another_one() -> None:
    report = check_text("$7 \\times 512 = 3.5\\ \\text{KiB}$\n")
    assert report.findings == []
    assert report.outcome == "nothing checked"
    assert any("nothing else shows that it was read as it is meant" in why for why in whys(report))
    assert told("3,000 × 1,000 = 300万\n") == []
    assert told("log2(300) ≈ 9 bits\n") == []
    assert told("total = 2,350 / 20 = 171.5 kg\n") == [("171.5", "117.5")]  # digits exchanged: the same unit


def test_words_between_a_working_and_a_number() -> None:
    assert told("5 Schichten: 0.3 × 0.2. Mit 20 davon dann ≈ 0.9 — also viel\n") == []


def test_a_word_that_a_minus_takes_from_is_no_remark() -> None:
    assert told("rain=[1,1] sun=[0,1] snow=[0,2]\n\nQuery is `rain - sun + snow = [1,2]`\n") == []


def test_a_derivative_is_not_the_step_it_is_named_after() -> None:
    notes = "scores = [0.1, 0.2, 0.7]\n\nsoftmax(scores) = [0.25, 0.28, 0.46]\n\n∂L/∂softmax = [0.1, -0.5, 0.4]\n"
    assert told(notes) == []


def test_counts_are_given_anew_in_every_example() -> None:
    notes = "$n \\approx 837.4$ and $p = 0.5$\n\n$$I = \\frac{n}{p} = \\frac{100}{0.5} = 200$$\n"
    assert told(notes) == []


def test_a_gap_in_a_chain_may_begin_anew() -> None:
    assert told("$v = \\frac{100}{900} = \\frac19 \\hence s = \\frac13$\n") == []


def test_what_is_asked_is_not_said() -> None:
    assert told("Are the two independent?\n\n$$ 10/100 = (\\frac{40}{100}) \\times (\\frac{50}{100}) $$\n") == []


def test_the_word_has_the_sign() -> None:
    assert told("a change of $-1.5 \\cdot 0.02 = 0.03$ decrease in all\n") == []


def test_rows_of_an_alignment_that_end_in_a_sign_go_on() -> None:
    terms = " + \\\\\n & ".join(["0.5 \\times 1", "0.3 \\times 2", "0.2 \\times 3 = 1.7"])
    rows = f"$$\\begin{{aligned}}\n & {terms}\n\\end{{aligned}}$$\n"
    assert told(rows) == []
    assert told(rows.replace("1.7", "7.1")) == [("7.1", "1.7")]


def test_words_that_may_belong_to_a_working() -> None:
    assert told("the precision is $log_{10}2^{11} \\approx 3.311$ digits\n") == []
    assert told("36 : 9 × 2 = 8\n") == []  # divided, and no label
    assert told("as $d$ grows it results to be e-1 = 0.368\n") == []
    assert told("Q = [[1, 0], [1, 1]]\n\nK = [[1, 1], [0, 1]]\n\nQ . Transpose[K] = [[1, 0], [2, 1]]\n") == []


def test_cells_of_a_table_are_apart() -> None:
    assert told("Other & 0 - 5 = -5 & $1 - 0.0098 = 0.9902$ & $-5 \\times 0.9902 = -4.951$ \\\\\n") == []


def test_what_no_number_is() -> None:
    assert told("$E = -\\frac{3}{4}\\log_2{-\\frac{3}{4}} = 0.31$\n") == []
    assert told("$E = -\\frac{2}{6}\\log_2{\\frac{2}{6}-\\frac{4}{6}\\log_2{\\frac{4}{6}}} = 0.9183$\n") == []


def test_a_variable_is_no_sign() -> None:
    assert told("x = 0\n\n$f = 1.8-0.06(x+1) = 1.8-0.06 x-0.06$\n") == []


def test_nearly_equal_and_far_off_is_said_of_something_else() -> None:
    assert told("$57/2 \\approx 4$ beside $43/6 \\approx 1$\n") == []
    assert told("$57/2 = 24$\n") == [("24", "28.5")]


def test_entries_of_a_list_that_may_be_another_one() -> None:
    assert told("x = [1, 0, 0, -1]\n\n    k=7: y[2] += 1*x[3] = 4\n") == []


def test_a_diagonal_that_is_set_to_nought() -> None:
    notes = "x = [[2], [3]]\n\nW = x x^T\n\nwith noughts on the diagonal\n\nW = [[0, 6], [6, 0]]\n"
    assert told(notes) == []
    assert told(notes.replace("[[0, 6], [6, 0]]", "[[4, 6], [6, 8]]")) == [("8", "9")]


def test_letters_that_look_like_numbers_or_functions() -> None:
    assert told("y^(1)=90, e^(1)=7. y^(2)=45 → e^(2)=−5 (too low).\n") == []  # the second error, and no power of e
    assert told("$\\mathbf e^2 \\cdot [1, 2] = [3, 4]$\n") == []
    assert told("$1-e=0.7$ is the share that is erased\n") == []
    assert told("$q = 2$\n\n$[q(0.025), q(0.975)] \\approx [1.15, 1.95]$\n") == []
    assert told("$A = 0.1 \\cdot 0.9 = 0.09$\n\n$B = 0.2 + 0.3 = 0.5$\n\n$C = (1) + (2) = 0.59$\n") == []


def test_digits_that_are_no_decimals() -> None:
    assert told("11010011 + 11100010 = 10110101\n") == []
    assert told("$3 = 1.1 × 2^1$ and $6.5 = 110.1$\n") == []
    assert told("0 - 1 = 1\n") == []  # with a borrowed bit
    assert told("$v = 4 (0,5)/(1 - 0,5)^2 = 8$ et $w = 2/0,5 = 4$\n") == []


def test_a_number_that_goes_on_or_a_working_that_begins_before() -> None:
    assert told("height: 0.9 : 3 × 4 = 1.2\n") == []
    assert told("then `20 *= 10/20 = 10`\n") == []
    assert told("$$A \\approx (1.2)^2 ( 0.9 + 0.4 ) = 1.44 \\left( 0.9 + 0.4$$\n") == []
    assert told("Support = 3/5=0.63/5 = 0.6\n") == []  # copied from a page, twice over


def test_equations_and_questions_are_not_claims() -> None:
    assert told("$x^T [-1, -1] - 1 = x^T [-1, 1] - 1$\n") == []
    assert told("Are they independent?\n$$p q = r$$\n$$10/100 = (40/100) \\times (50/100)$$\n") == []
    assert told("$1/12 \\equiv 3$ (mod 5)\n") == []
    assert told("$(567, 665) = (238, 665) = 7$\n") == []


def test_the_whole_may_be_the_same_where_the_parts_are_others() -> None:
    assert told("$u = \\frac{(0.5, 1.5)}{0.5 + 1.5} = \\frac{(1, 3)}{1 + 3}$\n") == []


def test_a_number_beside_a_matrix_may_be_so_many_times_the_identity() -> None:
    notes = "A = [[3, 1], [0, 3]]\n\nA - 3 = [[0, 1], [0, 0]]\n"
    assert told(notes) == []
    assert told(notes.replace("[[0, 1], [0, 0]]", "[[0, 1], [0, 5]]")) == [("5", "0")]


def test_a_working_left_standing_from_above() -> None:
    assert told("For 1: $a = \\sqrt{4} - 1.5 = 0.5$\n\nFor 2: $a = \\sqrt{4} - 1.5 = 0.7$\n") == []


def test_a_letter_for_a_single_number_means_this_and_that() -> None:
    notes = "$r = 0.05$ and $s = 0.32$\n\n$u = e^{s} \\approx {}$\n"
    assert told(notes.replace("{}", "2.44")) == []
    assert told(notes.replace("{}", "1.3971")) == [("1.3971", "1.3771")]


def test_a_finding_says_what_it_rests_on() -> None:
    (finding,) = check_text("4 + 7 = 12\n").findings
    assert finding.ground == "it stands beside its working"


def test_a_record_speaks_for_a_kind_of_working() -> None:
    here = Span(0, 0)
    two, five = Number("2", here), Number("5", here)
    working = Product((two, five), here)
    record = Record()
    record.note(working, is_right=True)
    assert not record.speaks_for(working)
    record.note(Product((five, five), here), is_right=True)
    assert record.speaks_for(working)
    assert not record.speaks_for(Sum((two, five), here))
    record.note(working, is_right=False)
    record.note(working, is_right=False)
    assert not record.speaks_for(working)
    assert form_of(working) == frozenset({"Product"})


def test_a_record_speaks_against_what_never_comes_out() -> None:
    legendre = "$$\\left( \\frac{17}{23} \\right) = -1$$\n\n$$\\left( \\frac{8}{13} \\right) = -1$$\n\n"
    assert len(check_text(legendre).findings) == 2
    assert check_text(legendre + "$$\\left( \\frac{2}{3} \\right) = -1$$\n").findings == []
