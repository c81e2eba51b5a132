//! What a reply becomes: words, calls put together from fragments, and an end.

use super::*;

#[tokio::test]
async fn text_reasoning_and_usage_arrive_in_order() {
    let usage = json!({ "object": "chat.completion.chunk", "choices": [],
        "usage": { "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 } });
    let (events, error) = reply(stream(&[
        delta(json!({ "role": "assistant", "reasoning_content": "hm" })),
        delta(json!({ "content": "Hei " })),
        delta(json!({ "content": "Oslo" })),
        finish("stop"),
        usage,
    ]))
    .await;
    assert_eq!(error, None);
    let (native, events): (Vec<_>, Vec<_>) = events
        .into_iter()
        .partition(|event| matches!(event, ModelEvent::Native(_)));
    assert_eq!(native.len(), 1, "the thoughts go back to the model");
    assert_eq!(
        events,
        [
            ModelEvent::Reasoning("hm".to_owned()),
            ModelEvent::Text("Hei ".to_owned()),
            ModelEvent::Text("Oslo".to_owned()),
            ModelEvent::Usage(Usage {
                input: 7,
                output: 3,
                cached: 0,
                cache_written: 0
            }),
            ModelEvent::Finished(FinishReason::Stop),
        ]
    );
}

#[tokio::test]
async fn a_reply_that_a_filter_ended_is_told_from_a_whole_one() {
    let (events, error) = reply(stream(&[
        delta(json!({ "content": "Hei" })),
        finish("content_filter"),
    ]))
    .await;
    assert_eq!((text(&events).as_str(), error), ("Hei", None));
    assert_eq!(finished(&events), &FinishReason::Filtered);
}

#[tokio::test]
async fn emoji_split_between_packets_crlf_and_comments_do_no_harm() {
    let body =
        ": keep-alive\r\n\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"👩‍👩‍👧 ok\"}}]}\r\n\r\n";
    let cut = body.find('👩').unwrap() + 2;
    let end = format!("data: {}\r\n\r\ndata: [DONE]\r\n\r\n", finish("stop"));
    let (first, second) = body.as_bytes().split_at(cut);
    let steps = vec![
        stream_head(),
        Step::Send(first.to_vec()),
        Step::Send(second.to_vec()),
        Step::Send(end.into_bytes()),
    ];
    let (events, error) = reply(steps).await;
    assert_eq!((text(&events).as_str(), error), ("👩‍👩‍👧 ok", None));
}

#[tokio::test]
async fn interleaved_fragments_of_parallel_calls_are_put_together() {
    let (events, error) = reply(stream(&[
        fragment(json!(0), json!("a"), json!("add"), ""),
        fragment(json!(1), json!("b"), json!("weather"), "{\"city\""),
        fragment(json!(0), Value::Null, Value::Null, "{\"a\":1,"),
        fragment(json!(1), Value::Null, Value::Null, ":\"Oslo\"}"),
        fragment(json!(0), Value::Null, Value::Null, "\"b\":2}"),
        finish("tool_calls"),
    ]))
    .await;
    assert_eq!(error, None);
    let expected = [
        parsed("add", json!({ "a": 1, "b": 2 })),
        parsed("weather", json!({ "city": "Oslo" })),
    ];
    assert_eq!(calls(&events), expected);
    assert_eq!(finished(&events), &FinishReason::ToolCalls);
}

#[tokio::test]
async fn calls_that_share_an_index_or_have_none_stay_apart() {
    for index in [json!(0), Value::Null] {
        let (events, error) = reply(stream(&[
            fragment(index.clone(), json!("a"), json!("add"), "{\"a\":1}"),
            fragment(index.clone(), json!("b"), json!("add"), "{\"a\":2}"),
            finish("tool_calls"),
        ]))
        .await;
        assert_eq!(error, None);
        assert_eq!(
            calls(&events),
            [parsed("add", json!({ "a": 1 })), parsed("add", json!({ "a": 2 }))]
        );
    }
}

#[tokio::test]
async fn arguments_that_were_cut_or_are_no_object_are_never_runnable() {
    let cases = [
        ("{\"path\":\"/ho", "length"),
        ("", "length"),
        ("[1]", "tool_calls"),
        ("{\"a\":1}}", "tool_calls"),
    ];
    for (arguments, reason) in cases {
        let chunks = [
            fragment(json!(0), json!("a"), json!("delete"), arguments),
            finish(reason),
        ];
        let (events, error) = reply(stream(&chunks)).await;
        assert_eq!(error, None, "{arguments}");
        let [(_, CallArguments::Invalid { raw, .. })] = &calls(&events)[..] else {
            panic!("{arguments} must come out as one invalid call: {events:?}");
        };
        assert_eq!(raw, arguments);
    }
}

#[tokio::test]
async fn two_calls_without_index_and_id_never_become_a_runnable_mixture() {
    let (events, _) = reply(stream(&[
        fragment(json!(0), Value::Null, json!("add"), "{\"a\":1}"),
        fragment(json!(0), Value::Null, json!("forget"), "{\"key\":\"k\"}"),
        finish("tool_calls"),
    ]))
    .await;
    for call in calls(&events) {
        let whole = [
            parsed("add", json!({ "a": 1 })),
            parsed("forget", json!({ "key": "k" })),
        ];
        assert!(
            whole.contains(&call) || matches!(call.1, CallArguments::Invalid { .. }),
            "{call:?}"
        );
    }
}
